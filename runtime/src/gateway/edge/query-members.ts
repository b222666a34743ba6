type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The members of a request by their names in queries. */
export type QueryMembers<T> = { [Name in keyof T as CamelCase<Name & string>]: T[Name] };

/** A query from the members of a body or the parameters of a route, which have the same names: `tenant_id` is `tenantId`. */
export function queryMembers<T extends object>(members: T): QueryMembers<T> {
  const entries = Object.entries(members).map(([name, value]) => [camelCase(name), value]);
  return Object.fromEntries(entries) as QueryMembers<T>;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
