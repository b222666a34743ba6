import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { OPERATOR_SCOPES, type PrincipalEntry, tokenDigest } from '#controller/fleet/principals.js';
import { KubeConflict, KubeForbidden, KubeInvalid, KubeUnavailable } from '#controller/kube/client/errors.js';
import { TRUST_ANNOTATIONS } from '#controller/trust/names.js';
import { type SecretObject, secretText } from '#controller/trust/objects.js';
import { NAMES, NAMESPACE, type Release, release } from './support/release.ts';

const ref = (name: string) => ({ namespace: NAMESPACE, name });
const entriesOf = (aip: Release): PrincipalEntry[] =>
  JSON.parse(secretText(aip.secret(NAMES.principals), 'principals.json') as string);
const tokenOf = (aip: Release, tenant: string): string =>
  secretText(aip.secret(NAMES.operator(tenant)), 'token') as string;
const isThere = (aip: Release, tenant: string): boolean =>
  aip.kube.peek(KINDS.secret, ref(NAMES.operator(tenant))) !== undefined;

/** Writes principals.json as an administrator does. */
async function edit(aip: Release, change: (entries: PrincipalEntry[]) => unknown): Promise<void> {
  const text = JSON.stringify(change(entriesOf(aip)));
  await aip.kube.merge(KINDS.secret, ref(NAMES.principals), {
    data: { 'principals.json': Buffer.from(text).toString('base64') },
  });
}

const FOREIGN: PrincipalEntry = {
  token_digest: tokenDigest('theirs'),
  principal_id: 'service:ci',
  tenant_id: 'acme',
  scopes: ['action:read'],
  roles: [],
};

test('each tenant gets an operator with a token of its own, whatever the tenant is called', async () => {
  const aip = release();
  const tenants = ['acme', 'Ünïcode / tenant', 'acme'];
  await aip.reconcile({ tenants });
  expect(entriesOf(aip)).toEqual(
    ['acme', 'Ünïcode / tenant'].map((tenant) => ({
      token_digest: tokenDigest(tokenOf(aip, tenant)),
      principal_id: `human:operator:${tenant}`,
      tenant_id: tenant,
      scopes: OPERATOR_SCOPES,
      roles: ['operator'],
    })),
  );
  const secret = aip.secret(NAMES.operator('Ünïcode / tenant'));
  expect(secret.metadata.name).toMatch(/^aip-operator-[0-9a-f]{10}$/);
  expect(secret.metadata.annotations).toEqual({ [TRUST_ANNOTATIONS.tenant]: 'Ünïcode / tenant' });
});

test('principals.json never holds a token', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  expect(secretText(aip.secret(NAMES.principals), 'principals.json')).not.toContain(tokenOf(aip, 'acme'));
});

test('without tenants there is an empty list, so that gateways can start', async () => {
  const aip = release();
  await aip.reconcile();
  expect(entriesOf(aip)).toEqual([]);
});

test('entries of others stay where they are, an operator that was changed is put right', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  const [own] = entriesOf(aip);
  await edit(aip, ([entry]) => [FOREIGN, { ...entry, scopes: ['*'] }]);
  await aip.reconcile({ tenants: ['acme', 'globex'] });
  expect(entriesOf(aip).slice(0, 2)).toEqual([FOREIGN, own]);
  expect(entriesOf(aip)).toHaveLength(3);
});

test('an operator whose token Secret is deleted gets another token, and the old one stops to work', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  const before = tokenOf(aip, 'acme');
  await aip.kube.delete(KINDS.secret, ref(NAMES.operator('acme')));
  await aip.reconcile({ tenants: ['acme'] });
  expect(tokenOf(aip, 'acme')).not.toBe(before);
  expect(entriesOf(aip).map(({ token_digest }) => token_digest)).toEqual([tokenDigest(tokenOf(aip, 'acme'))]);
});

test('the operator of a tenant that is gone stays until its removal is requested', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme', 'globex'] });
  await edit(aip, (entries) => [...entries, FOREIGN]);
  await aip.reconcile({ tenants: ['globex'] });
  expect([entriesOf(aip).length, isThere(aip, 'acme')]).toEqual([3, true]);
  await aip.reconcile({ tenants: ['globex'], removeGoneOperators: true });
  expect(entriesOf(aip).map(({ principal_id }) => principal_id)).toEqual(['human:operator:globex', 'service:ci']);
  expect([isThere(aip, 'acme'), isThere(aip, 'globex')]).toEqual([false, true]);
});

test.each([
  ['no JSON', 'not json'],
  ['no array', '{}'],
  ['an entry that is none', '[1]'],
])('principals.json with %s is left unchanged and reported', async (_, text) => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  const data = { 'principals.json': Buffer.from(text).toString('base64') };
  await aip.kube.merge(KINDS.secret, ref(NAMES.principals), { data });
  const { observations } = await aip.reconcile({ tenants: ['acme', 'globex'] });
  expect(observations).toContainEqual(
    expect.objectContaining({ object: NAMES.principals, type: 'Stalled', reason: 'PrincipalsInvalid' }),
  );
  expect(secretText(aip.secret(NAMES.principals), 'principals.json')).toBe(text);
});

test('a token Secret without a token is reported; its operator and all others stay', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  const before = entriesOf(aip);
  await aip.kube.merge(KINDS.secret, ref(NAMES.operator('acme')), { data: { token: null } });
  const { observations } = await aip.reconcile({ tenants: ['acme', 'globex'] });
  expect(observations).toContainEqual(
    expect.objectContaining({ object: NAMES.operator('acme'), type: 'Stalled', reason: 'TokenInvalid' }),
  );
  expect(entriesOf(aip)[0]).toEqual(before[0]);
  expect(entriesOf(aip)).toHaveLength(2);
});

test('an administrator who edits at the same moment loses nothing', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  let edited = false;
  aip.kube.before = async ({ verb, name }) => {
    if (edited || verb !== 'replace' || name !== NAMES.principals) return;
    edited = true;
    await edit(aip, (entries) => [...entries, FOREIGN]);
  };
  await aip.reconcile({ tenants: ['acme', 'globex'] });
  expect(entriesOf(aip).map(({ principal_id }) => principal_id)).toEqual([
    'human:operator:acme',
    'service:ci',
    'human:operator:globex',
  ]);
  expect(aip.kube.peek<SecretObject>(KINDS.secret, ref(NAMES.principals))?.type).toBe('Opaque');
});

const QUOTA = new KubeForbidden(403, 'Forbidden', 'exceeded quota: secrets');

test('a token that cannot be written is reported and tried again; other operators and all copies have theirs', async () => {
  const aip = release();
  aip.kube.before = ({ verb, name }) => {
    if (verb === 'create' && name === NAMES.operator('acme')) throw QUOTA;
  };
  const wanted = { namespaces: ['acme'], tenants: ['acme', 'globex'] };
  const { observations } = await aip.reconcile(wanted);
  expect(observations.filter(({ type }) => type === 'Stalled')).toEqual([
    {
      object: NAMES.operator('acme'),
      type: 'Stalled',
      reason: 'OperatorsRefused',
      message: 'the operator of tenant acme has no token: exceeded quota: secrets',
    },
  ]);
  expect(entriesOf(aip).map(({ tenant_id }) => tenant_id)).toEqual(['globex']);
  expect(aip.bundle('acme').dids.gateway).toHaveLength(1);
  aip.kube.before = () => undefined;
  expect((await aip.reconcile(wanted)).observations.filter(({ type }) => type === 'Stalled')).toEqual([]);
  expect(entriesOf(aip).map(({ tenant_id }) => tenant_id)).toEqual(['globex', 'acme']);
});

test.each([
  ['is too large', new KubeInvalid(422, 'Invalid', 'Too long: must have at most 1048576 bytes'), false],
  ['may not be written', QUOTA, false],
  ['gets no answer', new KubeUnavailable(500, 'InternalError', 'no answer'), true],
  ['changes all the time', new KubeConflict(409, 'Conflict', 'changed'), true],
])('a list of operators that %s is reported and stops nothing else', async (_, error, retrySoon) => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme'] });
  aip.kube.before = ({ verb, name }) => {
    if (verb !== 'get' && name === NAMES.principals) throw error;
  };
  const result = await aip.reconcile({ tenants: ['acme', 'globex'] });
  expect(result.observations.filter(({ type }) => type === 'Stalled')).toMatchObject([
    { object: NAMES.principals, reason: 'OperatorsRefused', message: expect.stringContaining(error.message) },
  ]);
  expect(result.retrySoon).toBe(retrySoon);
  expect(entriesOf(aip)).toHaveLength(1);
  aip.kube.before = () => undefined;
  await aip.reconcile({ tenants: ['acme', 'globex'] });
  expect(entriesOf(aip)).toHaveLength(2);
});

test('a token that cannot be removed keeps its entry, so that both are found again', async () => {
  const aip = release();
  await aip.reconcile({ tenants: ['acme', 'globex'] });
  aip.kube.before = ({ verb }) => {
    if (verb === 'delete') throw QUOTA;
  };
  const wanted = { tenants: ['globex'], removeGoneOperators: true };
  const { observations } = await aip.reconcile(wanted);
  expect(observations).toContainEqual(expect.objectContaining({ reason: 'OperatorsRefused' }));
  expect([entriesOf(aip).length, isThere(aip, 'acme')]).toEqual([2, true]);
  aip.kube.before = () => undefined;
  await aip.reconcile(wanted);
  expect([entriesOf(aip).length, isThere(aip, 'acme')]).toEqual([1, false]);
});
