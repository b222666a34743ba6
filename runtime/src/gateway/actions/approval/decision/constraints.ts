import { canonicalJson } from '../../../../protocol/canonical.js';
import { AipError } from '../../../../protocol/errors.js';
import { isRawJson } from '../../../../protocol/json.js';
import type { ApprovalConstraint } from '../../../../protocol/types.js';

/** What an operator says of the value in the input and the value in the constraint. */
type Operator = (actual: unknown, wanted: unknown) => boolean;

const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: isEqual,
  neq: (actual, wanted) => isComparable(actual) && isComparable(wanted) && !isEqual(actual, wanted),
  lt: numbers((actual, wanted) => actual < wanted),
  lte: numbers((actual, wanted) => actual <= wanted),
  gt: numbers((actual, wanted) => actual > wanted),
  gte: numbers((actual, wanted) => actual >= wanted),
  contains: (actual, wanted) => typeof actual === 'string' && typeof wanted === 'string' && actual.includes(wanted),
  max_length: (actual, wanted) => typeof actual === 'string' && [...actual].length <= numberOf(wanted),
  min_length: (actual, wanted) => typeof actual === 'string' && [...actual].length >= numberOf(wanted),
  in: (actual, wanted) => Array.isArray(wanted) && wanted.some((item) => isEqual(actual, item)),
};

/** The first constraint that an input does not keep, as the refusal it leads to. An unknown operator is never kept. */
export function constraintRefusal(
  constraints: readonly ApprovalConstraint[] | undefined,
  input: unknown,
): AipError | undefined {
  for (const { field, operator, value } of constraints ?? []) {
    const found = memberAt(input, field);
    const details = { field, operator };
    if (!found) return new AipError('policy.approval_constraint_missing_field', undefined, { details });
    const holds = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (!holds?.(found.value, value)) return new AipError('policy.approval_constraint_failed', undefined, { details });
  }
  return undefined;
}

/** The value that a JSON pointer names in the input; the leading slash may be left out. */
function memberAt(input: unknown, field: string): { readonly value: unknown } | undefined {
  let value = input;
  for (const part of (field.startsWith('/') ? field.slice(1) : field).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || isRawJson(value)) return undefined;
    if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(name)) return undefined;
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return { value };
}

function isEqual(a: unknown, b: unknown): boolean {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (!Number.isNaN(x) || !Number.isNaN(y)) return x === y;
  return canonicalJson(a) === canonicalJson(b);
}

function isComparable(value: unknown): boolean {
  const isNumber = typeof value === 'number' || (typeof value === 'object' && value !== null && isRawJson(value));
  return !isNumber || !Number.isNaN(numberOf(value));
}

function numbers(holds: (actual: number, wanted: number) => boolean): Operator {
  return (actual, wanted) => holds(numberOf(actual), numberOf(wanted));
}

/** A number that is known exactly; NaN for everything else, which no comparison holds for. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null || !isRawJson(value)) return Number.NaN;
  const number = Number(value.rawJSON);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? Number.NaN : number;
}
