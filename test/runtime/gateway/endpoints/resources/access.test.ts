import { expect, test } from 'vitest';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import { accessRefusal, isExpired } from '#runtime/gateway/endpoints/resources/access.js';
import type { Resource } from '#runtime/protocol/types.js';

const identity = (tenantId: string | undefined, ...scopes: string[]): Identity =>
  ({ principal: { id: 'agent:a', kind: 'agent' }, tenantId, scopes: new Set(scopes) }) as unknown as Identity;
const resource = (access: Resource['access'], tenant_id: string | undefined = 'acme'): Resource =>
  ({ id: 'res:1', name: 'one', tenant_id, access }) as Resource;

test.each<[string, Identity, Resource, string | undefined]>([
  ['a resource without a policy admits everyone', identity(undefined), resource(undefined), undefined],
  [
    'a public one too, whatever else it says',
    identity('globex'),
    resource({ public: true, tenant_required: true, required_scopes: ['s'] }),
    undefined,
  ],
  [
    'a tenant that must be the own one is',
    identity('acme'),
    resource({ public: false, tenant_required: true }),
    undefined,
  ],
  [
    'a caller without a tenant must name one',
    identity(undefined),
    resource({ public: false, tenant_required: true }),
    'auth.tenant_required',
  ],
  [
    'a caller of another tenant is refused, also with every scope',
    identity('globex', '*'),
    resource({ public: false, tenant_required: true }),
    'auth.tenant_mismatch',
  ],
  [
    'a listed principal needs no scope',
    identity('acme'),
    resource({ public: false, tenant_required: true, allowed_principals: ['agent:a'], required_scopes: ['s'] }),
    undefined,
  ],
  [
    'one of the scopes suffices',
    identity('acme', 't'),
    resource({ public: false, tenant_required: false, required_scopes: ['s', 't'] }),
    undefined,
  ],
  [
    'another scope does not',
    identity('acme', 'u'),
    resource({ public: false, tenant_required: false, required_scopes: ['s', 't'] }),
    'auth.not_authorized',
  ],
  [
    'with principals alone no scope helps',
    identity('acme', '*'),
    resource({ public: false, tenant_required: false, allowed_principals: ['agent:b'] }),
    'auth.not_authorized',
  ],
])('%s', (_what, caller, asked, code) => {
  expect(accessRefusal(caller, asked)?.code).toBe(code);
});

test('a resource is expired from its time on', () => {
  const at = (expires_at?: string): Resource => ({ id: 'res:1', name: 'one', expires_at }) as Resource;
  expect([999, 1000, 1001].map((now) => isExpired(at('1970-01-01T00:00:01Z'), now))).toEqual([false, true, true]);
  expect(isExpired(at(), Number.MAX_SAFE_INTEGER)).toBe(false);
});
