/** Keywords whose cost is not bounded by the sizes of schema and value: expressions, references, comparisons of all with all. */
const UNBOUNDED: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'uniqueItems',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
]);
/** Compiling a schema of this many nodes takes some milliseconds. */
const MAX_CHEAP_SCHEMA_NODES = 256;
const MAX_CHEAP_VALUE_NODES = 4096;

const known = new WeakMap<object, boolean>();

/**
 * Whether a value may be checked against a schema on the event loop: both are small, and the schema holds nothing whose
 * cost grows faster than they do. A property that is named like such a keyword counts as one.
 */
export function isCheapCheck(schema: object, value: unknown): boolean {
  let cheap = known.get(schema);
  if (cheap === undefined) {
    cheap = countNodes(schema, MAX_CHEAP_SCHEMA_NODES, UNBOUNDED) <= MAX_CHEAP_SCHEMA_NODES;
    known.set(schema, cheap);
  }
  return cheap && countNodes(value, MAX_CHEAP_VALUE_NODES) <= MAX_CHEAP_VALUE_NODES;
}

/** The nodes of a JSON value, counted until there are more than `limit`; a member named in `without` counts as too many. */
export function countNodes(value: unknown, limit: number, without?: ReadonlySet<string>): number {
  let nodes = 0;
  const visit = (each: unknown): void => {
    nodes += 1;
    if (nodes > limit || typeof each !== 'object' || each === null) return;
    for (const key in each) {
      if (without?.has(key)) nodes = limit + 1;
      if (nodes > limit) return;
      visit((each as Record<string, unknown>)[key]);
    }
  };
  visit(value);
  return nodes;
}
