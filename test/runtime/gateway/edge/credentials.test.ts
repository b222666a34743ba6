import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearerEdge } from '#runtime/gateway/edge/bearer.js';
import { openPrincipalsFile, parsePrincipals } from '#runtime/gateway/edge/principals-file.js';
import { trustedSigners } from '#runtime/gateway/edge/signers.js';
import { Unauthorized } from '#runtime/protocol/errors.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-credentials-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const digestOf = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`;
const entry = (token: string, more: object = {}) => ({
  token_digest: digestOf(token),
  principal_id: 'human:ann',
  ...more,
});

/** Values that are not a valid list of rights over records of other principals. */
const WRONG_GRANTS: readonly unknown[] = [
  {},
  ['human:boss'],
  [{ scopes: ['action:read'] }],
  [{ principal_id: ' ', scopes: ['action:read'] }],
  [{ principal_id: 'human:boss' }],
  [{ principal_id: 'human:boss', scopes: [] }],
  [{ principal_id: 'human:boss', scopes: 'action:read' }],
  [{ principal_id: 'human:boss', scopes: ['action:read'], expires_at: 'soon' }],
  [{ principal_id: 'human:boss', scopes: ['action:read'], expires_at: 5 }],
  [{ principal_id: 'human:boss', scopes: ['action:read'], reason: 5 }],
  [{ principal_id: 'human:boss', scopes: ['action:read'], tenant_id: 'acme' }],
];

async function replace(path: string, entries: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(entries), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

test('N-326 N-327 N-328 N-329 N-330 the static credential is read from scheme Bearer alone and names principal, scopes and tenant', async () => {
  const identity = {
    principal: { id: 'service:edge', kind: 'service' as const },
    scopes: new Set(['action:read']),
    tenantId: 'acme',
    roles: [],
    scheme: 'bearer' as const,
  };
  const edge = bearerEdge({ credential: { token: 's3cret', identity }, clock: Date.now });
  expect(await edge.identify('Bearer s3cret')).toBe(identity);
  expect(await edge.identify('Bearer  s3cret ')).toBe(identity);
  expect(await edge.identify('bearer s3cret')).toBe(identity);
  for (const header of [undefined, '', 'Basic s3cret', 'Bearers3cret', 's3cret', 'Bearer '])
    expect(await edge.identify(header)).toBeUndefined();
});

test('N-332 N-333 a wrong token is refused, also where none is configured', async () => {
  const none = bearerEdge({ clock: Date.now });
  await expect(none.identify('Bearer anything')).rejects.toThrow(Unauthorized);
  await expect(none.identify(`Bearer ${'x'.repeat(20_000)}`)).rejects.toMatchObject({
    code: 'auth.native_http_unauthorized',
    status: 401,
  });
});

test('D-02 a principals file gives many credentials, and a change of it counts within a second', async () => {
  const path = join(folder, 'principals.json');
  let now = 1_000_000;
  const ann = entry('ann', { tenant_id: 'acme', scopes: ['*'], roles: ['lead'] });
  await replace(path, [ann, entry('bob')]);
  const problems: Error[] = [];
  const principals = await openPrincipalsFile({ path, clock: () => now, onInvalid: (error) => problems.push(error) });
  const edge = bearerEdge({ principals, clock: () => now });
  expect(await edge.identify('Bearer ann')).toMatchObject({ tenantId: 'acme', roles: ['lead'], scheme: 'bearer' });
  expect((await edge.identify('Bearer bob'))?.tenantId).toBeUndefined();

  await replace(path, [ann, entry('eve')]);
  now += 1000;
  await expect(edge.identify('Bearer bob')).rejects.toThrow(Unauthorized);
  expect((await edge.identify('Bearer eve'))?.principal).toEqual({ id: 'human:ann', kind: 'human' });

  await writeFile(path, '{ not json');
  now += 1000;
  expect(await edge.identify('Bearer eve')).toBeDefined();
  expect(problems).toHaveLength(1);
  await rm(path);
  now += 1000;
  await expect(edge.identify('Bearer eve')).rejects.toThrow(Unauthorized);
});

test('D-02 a credential of the principals file ends at its time', async () => {
  const path = join(folder, 'ending.json');
  let now = Date.parse('2026-07-09T00:00:00Z');
  await replace(path, [entry('ann', { expires_at: formatTime(now + 10) })]);
  const principals = await openPrincipalsFile({ path, clock: () => now, onInvalid: () => undefined });
  const edge = bearerEdge({ principals, clock: () => now });
  expect(await edge.identify('Bearer ann')).toBeDefined();
  now += 10;
  await expect(edge.identify('Bearer ann')).rejects.toThrow(Unauthorized);
});

test('D-02 a principals file that others may write, or with a wrong entry, is refused', async () => {
  const path = join(folder, 'open.json');
  await writeFile(path, '[]', { mode: 0o666 });
  const { chmod } = await import('node:fs/promises');
  await chmod(path, 0o666);
  const open = () => openPrincipalsFile({ path, clock: Date.now, onInvalid: () => undefined });
  await expect(open()).rejects.toThrow(/writable/);
  const wrong = [
    {},
    [{}],
    [{ ...entry('a'), extra: 1 }],
    [{ ...entry('a'), token_digest: 'a' }],
    [entry('a'), entry('a')],
    [entry('a', { scopes: 'all' })],
    [entry('a', { expires_at: 'tomorrow' })],
    [entry('a', { tenant_id: ' ' })],
    ...WRONG_GRANTS.map((delegated_authority) => [entry('a', { delegated_authority })]),
  ];
  for (const value of wrong) expect(() => parsePrincipals(value)).toThrow();
});

test('N-348 N-349 N-350 a trusted signer is an Ed25519 DID, bound to a principal, and named once', () => {
  const { did } = signingKeyFromSeed(newSeedHex());
  const bound = trustedSigners([`${did}=agent:desk`], undefined).get(did);
  expect(bound).toMatchObject({ principal: { id: 'agent:desk', kind: 'agent' }, scheme: 'did_proof' });
  const file = trustedSigners(
    [],
    [{ signer_did: did, principal_id: 'service:x', scopes: ['action:read'], tenant_id: 'acme' }],
  );
  expect(file.get(did)).toMatchObject({ tenantId: 'acme', scopes: new Set(['action:read']) });
  const grants = [{ principal_id: 'human:boss', scopes: ['action:read'], expires_at: '2999-01-01T00:00:00Z' }];
  const granted = { signer_did: did, principal_id: 'service:x', delegated_authority: grants };
  expect(trustedSigners([], [granted]).get(did)?.grants).toEqual(grants);
  for (const delegated_authority of WRONG_GRANTS)
    expect(() => trustedSigners([], [{ ...granted, delegated_authority }])).toThrow(/delegated_authority/);
  expect(() => trustedSigners([`did:web:example.org=agent:desk`], undefined)).toThrow(/did:web/);
  expect(() => trustedSigners(['did:key:z6Mk=agent:desk'], undefined)).toThrow(/did:key:z6Mk/);
  expect(() => trustedSigners([`${did}=`], undefined)).toThrow(/DID=PRINCIPAL_ID/);
  expect(() => trustedSigners([], [{ signer_did: did }])).toThrow(/principal/);
  expect(() => trustedSigners([`${did}=a`], [{ signer_did: did, principal_id: 'b' }])).toThrow(/twice/);
  expect(() => trustedSigners([], [])).toThrow(/entries/);
});
