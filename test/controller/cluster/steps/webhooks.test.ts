import { expect, test } from 'vitest';
import { connectorInstanceProblems } from '#controller/api/connector-instance.js';
import { ANNOTATIONS } from '#controller/api/group.js';
import type { ClusterContext } from '#controller/cluster/context.js';
import { type WebhookEdge, webhookEdgeOf } from '#controller/cluster/objects/webhook-edge.js';
import { webhookUrl } from '#controller/cluster/objects/webhook-objects.js';
import { claimRefusal } from '#controller/cluster/observed/refusal.js';
import { ensureWebhooks } from '#controller/cluster/steps/webhooks.js';
import type { Admission } from '#controller/fleet/admission.js';
import { env } from '#runtime/transport/settings/env.js';
import { instanceLike } from '../support.ts';

const SECRETS = [{ file: 'webhook-secret', secretKeyRef: { name: 'chatwoot', key: 'webhook' } }];
const chatwoot = (spec: object = {}) =>
  instanceLike({ connector: { type: 'chatwoot', version: '1' }, secrets: SECRETS, ...spec }, { name: 'support' });
const admission = { manifest: { channels: [{ id: 'chatwoot-webhooks' }] } } as unknown as Admission;
const INGRESS = { className: 'nginx', annotations: { 'edge.test/tls': 'on' }, tlsSecret: 'hooks-tls' };
const ROUTE = { parentRefs: [{ name: 'edge' }], annotations: {} };
const PEERS = [{ namespaceSelector: { matchLabels: { edge: 'yes' } } }];

/** What is applied and removed for an instance. */
async function kept(instance: ReturnType<typeof chatwoot>, webhooks: WebhookEdge, given: Admission | null = admission) {
  // biome-ignore lint/suspicious/noExplicitAny: objects of any kind
  const applied: Record<string, any> = {};
  const removed: string[] = [];
  const cluster = {
    networkPolicy: true,
    webhooks,
    ensure: {
      applied: async (kind: { kind: string }, _owner: unknown, object: object) => {
        applied[kind.kind] = object;
      },
      removed: async (kind: { kind: string }, _owner: unknown, ref: { name: string }) => {
        removed.push(`${kind.kind} ${ref.name}`);
      },
    },
  } as unknown as ClusterContext;
  await ensureWebhooks(instance, given ?? undefined, cluster);
  return { applied, removed };
}

test('an instance with a webhook secret gets a Service over its ready hosts, and nothing that leads in from outside', async () => {
  const { applied, removed } = await kept(chatwoot(), { from: [], ingress: INGRESS });
  expect(Object.keys(applied)).toEqual(['Service']);
  expect(applied.Service).toMatchObject({
    metadata: { name: 'support-webhooks', namespace: 'acme' },
    spec: {
      selector: { 'fleet.aip.dev/instance': 'support', 'app.kubernetes.io/component': 'host' },
      ports: [{ port: 443, targetPort: 'https' }],
    },
  });
  expect(applied.Service.spec).not.toHaveProperty('publishNotReadyAddresses');
  expect(removed).toContain('Ingress support-webhooks');
});

test('without the secret, or with a connector that reads no webhooks, there is nothing', async () => {
  const edge = { host: 'hooks.test', from: PEERS, ingress: INGRESS };
  expect((await kept(chatwoot({ secrets: [], webhook: {} }), edge)).applied).toEqual({});
  expect((await kept(chatwoot({ webhook: {} }), edge, { manifest: {} } as Admission)).applied).toEqual({});
  expect((await kept(chatwoot({ secrets: [] }), edge)).removed).toEqual([
    'Service support-webhooks',
    'NetworkPolicy support-webhooks',
    'Ingress support-webhooks',
  ]);
  expect(await kept(chatwoot({ webhook: {} }), edge, null)).toEqual({ applied: {}, removed: [] });
});

test('on request one path is let through: on a host name of its own, or below namespace and name on that of the release', async () => {
  const edge = { host: 'hooks.test', from: PEERS, ingress: INGRESS, httpRoute: ROUTE };
  const shared = await kept(chatwoot({ webhook: {} }), edge);
  expect(shared.removed).toEqual([]);
  expect(shared.applied.Ingress).toMatchObject({
    metadata: { name: 'support-webhooks', annotations: { 'edge.test/tls': 'on' } },
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['hooks.test'], secretName: 'hooks-tls' }],
      rules: [
        { host: 'hooks.test', http: { paths: [{ path: '/acme/support/webhooks/chatwoot', pathType: 'Exact' }] } },
      ],
    },
  });
  expect(shared.applied.HTTPRoute.spec).toMatchObject({
    hostnames: ['hooks.test'],
    rules: [{ matches: [{ path: { type: 'Exact', value: '/acme/support/webhooks/chatwoot' }, method: 'POST' }] }],
  });
  expect(shared.applied.BackendTLSPolicy.spec.validation.hostname).toBe('support-webhooks.acme.svc');
  expect(shared.applied.NetworkPolicy.spec.ingress).toEqual([
    { from: PEERS, ports: [{ port: 'https', protocol: 'TCP' }] },
  ]);
  const own = await kept(chatwoot({ webhook: { host: 'chat.acme.test' } }), edge);
  expect(own.applied.Ingress.spec.rules).toMatchObject([
    { host: 'chat.acme.test', http: { paths: [{ path: '/webhooks/chatwoot', pathType: 'Exact' }] } },
  ]);
});

test('the URL to enter at the provider is public where something leads in', () => {
  const edge = { host: 'hooks.test', from: [], ingress: INGRESS };
  expect(webhookUrl(chatwoot({ webhook: {} }), edge)).toBe('https://hooks.test/acme/support/webhooks/chatwoot');
  expect(webhookUrl(chatwoot({ webhook: { host: 'chat.acme.test' } }), edge)).toBe(
    'https://chat.acme.test/webhooks/chatwoot',
  );
  expect(webhookUrl(chatwoot(), edge)).toBe('https://support-webhooks.acme.svc/webhooks/chatwoot');
});

test('a host name must be allowed by the namespace', () => {
  const rules = { tenancy: 'annotated', allowImageTags: false } as const;
  const instance = chatwoot({ webhook: { host: 'chat.acme.test' } });
  const refused = (annotations: Record<string, string>) =>
    claimRefusal(instance, { [ANNOTATIONS.tenants]: '*', ...annotations }, rules)?.reason;
  expect(refused({})).toBe('WebhookHostNotAllowed');
  expect(refused({ [ANNOTATIONS.webhookHosts]: 'acme.test' })).toBe('WebhookHostNotAllowed');
  expect(refused({ [ANNOTATIONS.webhookHosts]: 'other.test, chat.acme.test' })).toBeUndefined();
});

test('a webhook route without the secret is refused in words', () => {
  expect(connectorInstanceProblems(chatwoot({ secrets: [], webhook: {} }))).toContainEqual({
    path: 'spec.webhook',
    message: 'needs the secret file webhook-secret; add it to spec.secrets or remove spec.webhook',
  });
});

test('the edge is read from JSON, and other text stops the start', () => {
  const read = (WEBHOOKS?: string) => webhookEdgeOf(env('X_', { X_WEBHOOKS: WEBHOOKS }, 'test'));
  expect(read()).toEqual({ from: [] });
  expect(read('{"host":"","from":[]}')).toMatchObject({ from: [] });
  expect(read(JSON.stringify({ host: 'hooks.test', ingress: INGRESS, from: PEERS }))).toMatchObject({
    host: 'hooks.test',
    ingress: INGRESS,
    from: PEERS,
  });
  expect(() => read('{"from":5}')).toThrow('X_WEBHOOKS must be JSON');
  expect(() => read('hooks.test')).toThrow('X_WEBHOOKS must be JSON');
});
