import type { Access } from '../query-authorization.js';

/** Adds a value to a statement and returns its place in the text, as in `$1`. */
export type Bind = (value: unknown) => string;

/** Opens the values of a statement. */
export function openValues(): { readonly values: unknown[]; readonly bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** The condition that the rows `row` are of a tenant that an access reaches; none where it reaches all. */
export function ofTenant(row: string, { tenant }: Pick<Access, 'tenant'>, bind: Bind): string[] {
  if (tenant === 'any') return [];
  return [tenant === null ? `${row}.tenant_id IS NULL` : `${row}.tenant_id = ${bind(tenant)}`];
}

/** The conditions that the rows `row` are of a tenant and a principal that an access reaches. */
export function reachedRows(row: string, access: Access, bind: Bind): string[] {
  const tenant = ofTenant(row, access, bind);
  return access.principals === 'any' ? tenant : [...tenant, `${row}.principal_id = ANY(${bind(access.principals)})`];
}

/** The conditions that columns of the rows `row` have the values that were given; undefined does not filter. */
export function equals(row: string, columns: Readonly<Record<string, unknown>>, bind: Bind): string[] {
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [`${row}.${column} = ${bind(value)}`],
  );
}
