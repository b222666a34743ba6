/**
 * A recursive common table expression `name(key)`: each value of `key` among the rows of a table that `where` selects, found by one probe a
 * value of an index that begins with `key` and has `where` as its predicate, however many rows a value has. Its last row is null.
 */
export function distinctKeys({
  name,
  table,
  key,
  where,
}: {
  readonly name: string;
  readonly table: string;
  readonly key: string;
  readonly where: string;
}): string {
  return `${name}(key) AS (
  (SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${key} LIMIT 1)
  UNION ALL
  SELECT (SELECT ${key} FROM ${table} WHERE ${where} AND ${key} > before.key ORDER BY ${key} LIMIT 1)
  FROM ${name} before WHERE before.key IS NOT NULL
)`;
}
