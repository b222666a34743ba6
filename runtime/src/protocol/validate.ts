import { AipError } from './errors/aip-error.js';
import * as validators from './generated/validators.js';
import { plainJson } from './json.js';
import type { RecordTypes } from './types.js';

/** Name of a record that has a schema. */
export type SchemaName = keyof RecordTypes;

/** Why a value does not pass a schema. */
export interface SchemaIssue {
  /** JSON pointer of the offending value; empty for the value itself. */
  path: string;
  /** What is wrong with it, as the end of a sentence that begins with the path. */
  message: string;
}

/** The part of a validator's error that a message is made of. */
export interface ValidatorError {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
}

interface Validator {
  (value: unknown): boolean;
  errors?: ValidatorError[] | null;
}

/** Issues of a value against the schema of a record: empty when it passes, else the first one found. */
export function check(name: SchemaName, value: unknown): SchemaIssue[] {
  const validator = (validators as unknown as Record<string, Validator>)[name];
  if (validator === undefined) throw new RangeError(`no such schema: ${name}`);
  if (validator(plainJson(value))) return [];
  return (validator.errors ?? []).slice(0, 1).map(issueOf);
}

/** Throws `action.invalid_input` when the value does not pass the schema of the record. */
export function validate<N extends SchemaName>(name: N, value: unknown): asserts value is RecordTypes[N] {
  const [issue] = check(name, value);
  if (issue === undefined) return;
  const message = `the ${name} is not valid: ${issue.path || 'it'} ${issue.message}`;
  throw new AipError('action.invalid_input', message, { details: issue });
}

const UNKNOWN_MEMBER = 'has the unknown member ';

/** The member that the message of an issue calls unknown, also where more was appended; undefined for other messages. */
export function unknownMemberOf(message: string): string | undefined {
  const name = message.startsWith(UNKNOWN_MEMBER)
    ? /^"(?:[^"\\]|\\.)*"/.exec(message.slice(UNKNOWN_MEMBER.length))
    : null;
  return name === null ? undefined : (JSON.parse(name[0]) as string);
}

/** A validator's error as an issue that names the member or the values it speaks of. */
export function issueOf({ instancePath, keyword, message, params }: ValidatorError): SchemaIssue {
  const path = instancePath;
  switch (keyword) {
    case 'required':
      return { path, message: `lacks the required member ${params.missingProperty}` };
    case 'additionalProperties':
      return { path, message: `${UNKNOWN_MEMBER}${JSON.stringify(params.additionalProperty)}` };
    case 'enum':
      return {
        path,
        message: `must be one of ${(params.allowedValues as unknown[]).map((value) => `${value}`).join(', ')}`,
      };
    case 'const':
      return { path, message: `must be ${JSON.stringify(params.allowedValue)}` };
    default:
      return { path, message: message ?? `fails ${keyword}` };
  }
}
