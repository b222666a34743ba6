import { expect, test } from 'vitest';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { authorizeQuery, reaches, seesSensitive } from '#runtime/gateway/edge/query-authorization.js';
import { NotAuthorized } from '#runtime/protocol/errors.js';
import { formatTime } from '#runtime/protocol/time.js';
import { withCode } from '../../../support/with-code.js';

const NOW = Date.parse('2026-07-09T00:00:00Z');

function identity(scopes: string[], tenantId?: string, grants: object[] = []): Identity {
  return {
    principal: { id: 'agent:desk', kind: 'agent' },
    scopes: new Set(scopes),
    grants: grants as never,
    ...(tenantId === undefined ? {} : { tenantId }),
    roles: [],
    scheme: 'bearer',
  };
}

const read = { object: 'action', operation: 'read' } as const;

test('N-343 without the read scope a query is refused, with its name in details', () => {
  const scopes = [[], ['action:write'], ['principal:read:any'], ['session:read']];
  for (const held of scopes) expect(() => authorizeQuery(identity(held, 'acme'), read, NOW)).toThrow(NotAuthorized);
  try {
    authorizeQuery(identity([], 'acme'), read, NOW);
  } catch (error) {
    expect((error as NotAuthorized).details).toEqual({ object: 'action', operation: 'Read' });
  }
});

test('N-342 N-344 the own scope reaches the caller’s own objects and no foreign ones', () => {
  const access = authorizeQuery(identity(['action:read'], 'acme'), read, NOW);
  expect(reaches(access, { tenantId: 'acme', principalId: 'agent:desk' })).toBe(true);
  expect(reaches(access, { tenantId: 'acme', principalId: 'agent:other' })).toBe(false);
  expect(reaches(access, { tenantId: null, principalId: null })).toBe(false);
});

test('N-345 a record without an owner belongs to all of its tenant, and to no other', () => {
  const access = authorizeQuery(identity(['action:read'], 'acme'), read, NOW);
  expect(reaches(access, { tenantId: 'acme', principalId: null })).toBe(true);
  expect(reaches(access, { tenantId: 'globex', principalId: null })).toBe(false);
});

test('N-344 a cross-principal scope reaches every owner of the tenant', () => {
  for (const scopes of [['action:read:any'], ['*'], ['action:read', 'principal:read:any']]) {
    const access = authorizeQuery(identity(scopes, 'acme'), read, NOW);
    expect(reaches(access, { tenantId: 'acme', principalId: 'agent:other' })).toBe(true);
    expect(reaches(access, { tenantId: 'globex', principalId: 'agent:other' })).toBe(false);
  }
});

test('N-340 a principal filter that names another principal needs a cross-principal scope', () => {
  const foreign = { ...read, principalId: 'agent:other' };
  expect(() => authorizeQuery(identity(['action:read'], 'acme'), foreign, NOW)).toThrow(NotAuthorized);
  expect(authorizeQuery(identity(['action:read:any'], 'acme'), foreign, NOW).principals).toEqual(['agent:other']);
  const own = { ...read, principalId: 'agent:desk' };
  expect(authorizeQuery(identity(['action:read'], 'acme'), own, NOW).principals).toEqual(['agent:desk']);
});

test('N-345 the caller’s tenant narrows a query that names none, and hides objects of others and of none', () => {
  const access = authorizeQuery(identity(['action:read'], 'acme'), read, NOW);
  expect(access.tenant).toBe('acme');
  expect(reaches(access, { tenantId: 'globex', principalId: 'agent:desk' })).toBe(false);
  expect(reaches(access, { tenantId: null, principalId: 'agent:desk' })).toBe(false);
});

test('N-339 naming a foreign tenant is refused, naming the own one is not', () => {
  const asked = (tenantId: string) => ({ ...read, tenantId });
  expect(authorizeQuery(identity(['action:read'], 'acme'), asked('acme'), NOW).tenant).toBe('acme');
  for (const scopes of [['action:read'], ['action:read:any'], ['*']])
    expect(() => authorizeQuery(identity(scopes, 'acme'), asked('globex'), NOW)).toThrow(
      withCode('auth.tenant_mismatch'),
    );
  expect(() => authorizeQuery(identity(['action:read']), asked('acme'), NOW)).toThrow(withCode('auth.tenant_required'));
  const auditor = identity(['action:read', 'tenant:read:any'], 'acme');
  expect(authorizeQuery(auditor, asked('globex'), NOW).tenant).toBe('globex');
});

test('a caller outside every tenant sees its own objects outside tenants, and all of them only with a wide scope', () => {
  const plain = authorizeQuery(identity(['action:read']), read, NOW);
  expect(reaches(plain, { tenantId: null, principalId: 'agent:desk' })).toBe(true);
  expect(reaches(plain, { tenantId: 'acme', principalId: 'agent:desk' })).toBe(false);
  const wide = authorizeQuery(identity(['action:read:any']), read, NOW);
  expect(reaches(wide, { tenantId: 'acme', principalId: 'agent:other' })).toBe(true);
});

test('N-342 a live delegated grant opens exactly the granting principal’s objects', () => {
  const grant = { principal_id: 'agent:boss', scopes: ['action:read'], expires_at: formatTime(NOW + 1) };
  const access = authorizeQuery(identity([], 'acme', [grant]), { ...read, principalId: 'agent:boss' }, NOW);
  expect(access.principals).toEqual(['agent:boss']);
  const over = { ...grant, expires_at: formatTime(NOW) };
  const other = { ...grant, scopes: ['session:read'] };
  for (const useless of [over, other])
    expect(() =>
      authorizeQuery(identity(['action:read'], 'acme', [useless]), { ...read, principalId: 'agent:boss' }, NOW),
    ).toThrow(NotAuthorized);
  const both = authorizeQuery(identity(['action:read'], 'acme', [grant]), read, NOW);
  expect(reaches(both, { tenantId: 'acme', principalId: 'agent:boss' })).toBe(true);
  expect(reaches(both, { tenantId: 'acme', principalId: 'agent:third' })).toBe(false);
});

test('N-342 a grant stands for the scope only for its own principal, and never for the caller itself', () => {
  const grant = { principal_id: 'agent:boss', scopes: ['action:read'] };
  for (const scopes of [[], ['principal:read:any']]) {
    const deputy = identity(scopes, 'acme', [grant]);
    expect(authorizeQuery(deputy, read, NOW).principals).toEqual(['agent:boss']);
    for (const principalId of ['agent:desk', 'agent:third'])
      expect(() => authorizeQuery(deputy, { ...read, principalId }, NOW)).toThrow(NotAuthorized);
  }
});

test('N-344 principal:read:any reaches every owner in the operations whose scope is held, and in no other', () => {
  const write = { object: 'action', operation: 'write' } as const;
  const reader = identity(['action:read', 'principal:read:any'], 'acme');
  expect(authorizeQuery(reader, read, NOW).principals).toBe('any');
  expect(() => authorizeQuery(reader, write, NOW)).toThrow(NotAuthorized);
  const operator = identity(['action:write', 'principal:read:any'], 'acme');
  expect(authorizeQuery(operator, write, NOW).principals).toBe('any');
  expect(() => authorizeQuery(operator, read, NOW)).toThrow(NotAuthorized);
});

test('N-351 extra scopes and sensitive members go by exact scope names', () => {
  const query = { object: 'approval', operation: 'read', extraScopes: ['approval:sensitive'] } as const;
  expect(() => authorizeQuery(identity(['approval:read', 'approval:sensitive2'], 'acme'), query, NOW)).toThrow(
    NotAuthorized,
  );
  expect(authorizeQuery(identity(['approval:read', 'approval:sensitive'], 'acme'), query, NOW).tenant).toBe('acme');
  expect(seesSensitive(identity(['approval:sensitive']), 'approval')).toBe(true);
  expect(seesSensitive(identity(['approval:read']), 'approval')).toBe(false);
});

test('an audit query is refused under its own code', () => {
  const audit = { object: 'audit', operation: 'export' } as const;
  expect(() => authorizeQuery(identity(['audit:read'], 'acme'), audit, NOW)).toThrow(withCode('audit.not_authorized'));
});
