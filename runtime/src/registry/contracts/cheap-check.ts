import { patternWeight } from './plain-pattern.js';

/** Keywords whose cost is not bounded by the sizes of schema and value: references, comparisons of all with all, expressions but plain ones. */
const UNBOUNDED: ReadonlySet<string> = new Set([
  'patternProperties',
  'uniqueItems',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
]);
/** Compiling a schema of this many nodes takes some milliseconds. */
const MAX_CHEAP_SCHEMA_NODES = 256;
const MAX_CHEAP_VALUE_NODES = 4096;
/** The weight of all patterns of a schema, and the characters they are held against: at most 4 million steps, some 10 ms. */
const MAX_CHEAP_PATTERNS = 256;
const MAX_CHEAP_TEXT = 16_384;

/** The weight of the patterns of schemas that are cheap; undefined: the schema is not. */
const known = new WeakMap<object, { readonly patterns: number | undefined }>();

/**
 * Whether a value may be checked against a schema on the event loop: both are small, and the schema holds nothing whose
 * cost grows faster than they do. A property that is named like such a keyword counts as one.
 */
export function isCheapCheck(schema: object, value: unknown): boolean {
  let cheap = known.get(schema);
  if (cheap === undefined) {
    cheap = { patterns: weightOf(schema) };
    known.set(schema, cheap);
  }
  const { patterns } = cheap;
  if (patterns === undefined || countNodes(value, MAX_CHEAP_VALUE_NODES) > MAX_CHEAP_VALUE_NODES) return false;
  return patterns === 0 || textOf(value) <= MAX_CHEAP_TEXT;
}

/** The weight of a schema's patterns; undefined for a schema that is not cheap. */
function weightOf(schema: object): number | undefined {
  let weight = 0;
  const nodes = countNodes(schema, MAX_CHEAP_SCHEMA_NODES, (key, member) => {
    if (key === 'pattern')
      weight += (typeof member === 'string' ? patternWeight(member) : undefined) ?? Number.POSITIVE_INFINITY;
    return !UNBOUNDED.has(key);
  });
  return nodes <= MAX_CHEAP_SCHEMA_NODES && weight <= MAX_CHEAP_PATTERNS ? weight : undefined;
}

/** Characters of a value's texts and names. */
function textOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  let characters = 0;
  if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) characters += name.length + textOf(member);
  return characters;
}

/** The nodes of a JSON value, counted until there are more than `limit`; a member that is not `admitted` counts as too many. */
export function countNodes(
  value: unknown,
  limit: number,
  admitted: (name: string, member: unknown) => boolean = () => true,
): number {
  let nodes = 0;
  const visit = (each: unknown): void => {
    nodes += 1;
    if (nodes > limit || typeof each !== 'object' || each === null) return;
    for (const key in each) {
      const member = (each as Record<string, unknown>)[key];
      if (!admitted(key, member)) nodes = limit + 1;
      if (nodes > limit) return;
      visit(member);
    }
  };
  visit(value);
  return nodes;
}
