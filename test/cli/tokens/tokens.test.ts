import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '#cli/client/errors.js';
import { confirmed } from '#cli/confirm.js';
import { revokeTokens } from '#cli/tokens/manage-tokens.js';
import { unknownScopes } from '#cli/tokens/scopes.js';

const DIGESTS = ['ab12cd34', 'ab12cd35', 'ff000000'].map((start) => `sha256:${start.padEnd(64, '0')}`);

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aip-tokens-'));
  file = join(folder, 'principals.json');
  const entries = DIGESTS.map((token_digest, at) => ({
    token_digest,
    principal_id: `agent:${at}`,
    principal_kind: 'agent',
    tenant_id: 'acme',
    scopes: ['*'],
  }));
  writeFileSync(file, JSON.stringify(entries), { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const left = (): string[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { token_digest: string }[]).map(({ token_digest }) => token_digest);
const revoke = (named: string) => revokeTokens(named, { file }, {});

test('a token is revoked by at least six digits of its id, which no other token begins with', async () => {
  for (const named of ['f', 'ff000', 'ab12cd3', 'ab12c', 'agent:9'])
    await expect(revoke(named)).rejects.toBeInstanceOf(UsageError);
  expect(left()).toEqual(DIGESTS);
  expect(await revoke('ff0000')).toMatchObject([{ id: 'ff0000000000', principal_id: 'agent:2' }]);
  expect(left()).toEqual(DIGESTS.slice(0, 2));
  expect(await revoke('agent:0')).toMatchObject([{ principal_id: 'agent:0' }]);
  expect(left()).toEqual(DIGESTS.slice(1, 2));
});

test('what removes something needs --yes where there is no terminal to ask on', async () => {
  await expect(confirmed('Remove it?', false)).rejects.toBeInstanceOf(UsageError);
  expect(await confirmed('Remove it?', true)).toBeUndefined();
});

test('scopes that a gateway checks are known, with and without :any, and a near one is suggested for others', () => {
  expect(
    unknownScopes(['*', 'operator', 'action:read:any', 'principal:read:any', 'tenant:read:any', 'audit:sensitive']),
  ).toEqual([]);
  expect(unknownScopes(['action:raed'])).toEqual([expect.stringMatching(/action:raed.*action:read/)]);
});
