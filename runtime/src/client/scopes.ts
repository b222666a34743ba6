const FAMILIES = ['action', 'session', 'approval', 'transaction', 'receipt', 'audit', 'callback', 'resource', 'events'];

/** What an operator of one tenant may do: read, write and export of every family for all its principals (docs/protocol/client-api.md#authorization), nothing across tenants. */
export const OPERATOR_SCOPES: readonly string[] = [
  ...FAMILIES.flatMap((family) => [`${family}:read`, `${family}:write`, `${family}:export`]),
  'principal:read:any',
];
