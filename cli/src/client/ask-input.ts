import { compileJsonSchema } from '@aip/runtime/internal/messages';

import { exampleOf } from './example.js';

/** Asks one question on the terminal. */
export type Ask = (question: string) => Promise<string>;

type Schema = Readonly<Record<string, unknown>>;

/** Can the input be asked for member by member? Only an object with named members can. */
export function isAskable({ properties, required }: Schema): boolean {
  return typeof properties === 'object' && Array.isArray(required) && required.length > 0;
}

/** Prompts for the required members of an input, each again until it fits its schema. Nothing is sent meanwhile. */
export async function askInput(
  schema: Schema,
  ask: Ask,
  show: (line: string) => void,
): Promise<Record<string, unknown>> {
  const properties = schema.properties as Readonly<Record<string, Schema>>;
  const input: Record<string, unknown> = {};
  for (const name of schema.required as string[]) {
    const own = properties[name] ?? {};
    for (;;) {
      const answer = answerOf(await ask(questionOf(name, own, schema)), name, own, schema);
      if (!('problem' in answer)) {
        input[name] = answer.value;
        break;
      }
      show(`  ${name} ${answer.problem}`);
    }
  }
  return input;
}

/** `n (integer, such as 3): ` */
function questionOf(name: string, own: Schema, root: Schema): string {
  const type = Array.isArray(own.type) ? own.type.join(' or ') : (own.type ?? 'JSON');
  const example = JSON.stringify(exampleOf(own, name, root));
  const what = typeof own.description === 'string' ? `${own.description} ` : '';
  const choices = Array.isArray(own.enum)
    ? `one of ${own.enum.map((each) => JSON.stringify(each)).join(', ')}`
    : `${type}, such as ${example}`;
  return `${name}: ${what}(${choices})\n> `;
}

/** What was typed as a value of the member: text as it is where the schema wants text, else JSON. */
export function answerOf(
  typed: string,
  name: string,
  own: Schema,
  root: Schema,
): { value: unknown } | { problem: string } {
  const text = typed.trim();
  if (text === '') return { problem: 'is required' };
  const value = typedValue(text, own);
  if (value === undefined) return { problem: 'is not JSON' };
  // References of the member lead to the whole schema.
  const { required: _, ...rest } = root;
  const [issue] = compileJsonSchema({ ...rest, properties: { [name]: own } })({ [name]: value });
  return issue ? { problem: issue.message } : { value };
}

function typedValue(text: string, { type, enum: choices }: Schema): unknown {
  const isText = type === 'string' || (Array.isArray(choices) && choices.includes(text));
  if (isText && !(text.startsWith('"') && text.endsWith('"') && text.length > 1)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return isText ? text : undefined;
  }
}
