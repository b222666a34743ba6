import type { ShownToken } from '../../tokens/manage-tokens.js';
import { paint } from '../paint.js';
import { type Column, table } from './table.js';

const columns: Column<ShownToken>[] = [
  { title: 'TOKEN', value: (row) => row.id },
  { title: 'PRINCIPAL', value: (row) => row.principal_id, shrink: 'middle' },
  { title: 'TENANT', value: (row) => row.tenant_id ?? '–', shrink: 'middle', drop: 3 },
  {
    title: 'ENDS',
    value: (row) => (row.expired ? 'expired' : (row.expires_at?.slice(0, 16) ?? 'never')),
    paint: (text, row) => (row.expired ? paint.bad(text) : text),
    drop: 1,
  },
  { title: 'SCOPES', value: (row) => row.scopes.join(' '), shrink: 'end', least: 12, drop: 2 },
  { title: 'ROLES', value: (row) => row.roles.join(' '), wide: true },
];

/** Tokens for people. */
export function tokenTable(
  tokens: readonly ShownToken[],
  view: { width?: number | undefined; wide?: boolean },
): string {
  return tokens.length === 0 ? 'No tokens.' : table(tokens, columns, view.width, { wide: view.wide === true });
}
