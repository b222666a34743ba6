/** A configured list of texts as a set; absent is empty. `wrong` makes the error for anything else. */
export function textSet(value: unknown, wrong: () => Error): ReadonlySet<string> {
  if (value === undefined) return new Set();
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string' || item.trim() === '')) throw wrong();
  return new Set(value as string[]);
}
