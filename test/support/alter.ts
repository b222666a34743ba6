/** A value in which one member alone is another one. */
export interface Alteration<T> {
  /** Where, for messages: names joined by dots. */
  readonly at: string;
  readonly value: T;
}

/** One alteration for each text, number, flag and null in a JSON value, and one that leaves each member out. */
export function alterations<T>(value: T): Alteration<T>[] {
  const found: Alteration<T>[] = [];
  const visit = (at: unknown, path: (string | number)[]): void => {
    if (typeof at === 'object' && at !== null) {
      for (const [key, member] of Object.entries(at)) {
        const here = [...path, Array.isArray(at) ? Number(key) : key];
        if (!Array.isArray(at))
          found.push({ at: `without ${here.join('.')}`, value: replaced(value, here, undefined) });
        visit(member, here);
      }
      return;
    }
    found.push({ at: path.join('.'), value: replaced(value, path, other(at)) });
  };
  visit(value, []);
  return found;
}

/** Another value of the same kind; of a text one letter is another one, so that its shape stays. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string' || value === '') return 'x';
  const middle = Math.floor(value.length / 2);
  const letter = value[middle];
  const next = letter === '0' ? '1' : /\d/.test(letter as string) ? '0' : letter === 'a' ? 'b' : 'a';
  return value.slice(0, middle) + next + value.slice(middle + 1);
}

function replaced<T>(value: T, path: readonly (string | number)[], to: unknown): T {
  const copy = structuredClone(value);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (to === undefined) delete at[last];
  else at[last] = to;
  return copy;
}
