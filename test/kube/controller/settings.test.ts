import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCertificate } from '@aip/controller/trust/certificates/certificate.js';
import { newId } from '@aip/runtime/protocol/ids.js';
import { signValue } from '@aip/runtime/protocol/lifecycle.js';
import { signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import { formatTime } from '@aip/runtime/protocol/time.js';
import { Agent, request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { externalInstance } from './support/external.ts';
import { type Controller, condition, demoInstance, type KubeFleet, seen, startKubeFleet } from './support/fleet.ts';

const NAMESPACE = 'ops-system';
const IMAGE = `registry.test/own/runtime@sha256:${'d'.repeat(64)}`;
const LEASE_MS = 123_000;
const CONNECTIONS = 3;
const POLICY = {
  ref: 'quota:settings',
  revision: 3,
  enabled: true,
  limits: { circuit_failure_threshold: 7, circuit_open_ms: 41_000 },
};
const EGRESS = { postgresPort: 6543, extra: [{ ports: [{ port: 3128, protocol: 'TCP' }] }] };
/**
 * The variables of the controller, each off its default, but for those that say how it finds the API server and CERT_MANAGER_ISSUER, which needs
 * cert-manager. What WORKERS and ACQUIRE_TIMEOUT_MS change is time alone, which no test measures.
 */
const SETTINGS: Record<string, string> = {
  NAMESPACE,
  RELEASE: 'prod',
  POD_NAME: 'ctl-9',
  TRUST_DOMAIN: 'other.test',
  CLUSTER_DOMAIN: 'corp.local',
  RUNTIME_IMAGE: IMAGE,
  TENANCY: 'annotated',
  ALLOW_IMAGE_TAGS: 'true',
  WATCH_NAMESPACES: 'acme',
  GATEWAY_URL: 'https://gw.corp.test',
  CONTROL_URL: 'https://cp.corp.test:9443/aip/v1/connector-control',
  GATEWAY_PRINCIPAL_ID: 'service:own-gateway',
  GATEWAY_DNS_NAMES: 'gw.corp.test',
  CONTROL_DNS_NAMES: 'cp.corp.test',
  NETWORK_POLICY: 'true',
  HOST_EGRESS: JSON.stringify(EGRESS),
  HOST_OTLP_HEADERS_SECRET: 'otlp',
  WEBHOOKS: JSON.stringify({
    host: 'hooks.corp.test',
    ingress: { className: 'edge', annotations: {}, tlsSecret: '' },
    from: [],
  }),
  LEASE_TTL_MS: String(LEASE_MS),
  MAX_CONNECTIONS: String(CONNECTIONS),
  ACQUIRE_TIMEOUT_MS: '30000',
  WORKERS: '2',
  ROTATION_OVERLAP_SECONDS: '1',
};

interface Container {
  image: string;
  env: { name: string; value?: string; valueFrom?: object }[];
}

describeKube('the settings of the controller, each off its default', () => {
  let fleet: KubeFleet;
  let controller: Controller;
  let folder: string;
  const secret = async (name: string, namespace: string): Promise<Record<string, string>> => {
    const { data } = await fleet.json<{ data: Record<string, string> }>(['get', 'secret', name, '-n', namespace]);
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  };
  const hostOf = async (instance: string): Promise<string> => {
    const label = ['-l', `fleet.aip.dev/instance=${instance}`];
    return fleet.kubectl(['get', 'crep', '-n', 'acme', ...label, '-o', 'jsonpath={.items[0].metadata.name}']);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-settings-'));
    const policies = join(folder, 'policies.json');
    await writeFile(policies, JSON.stringify([POLICY]));
    fleet = await startKubeFleet();
    for (const namespace of [NAMESPACE, 'acme', 'globex']) await fleet.kubectl(['create', 'namespace', namespace]);
    await fleet.kubectl([
      'annotate',
      'namespace',
      'acme',
      'fleet.aip.dev/tenants=shop',
      'fleet.aip.dev/connector-types=*',
    ]);
    await fleet.apply(demoInstance('shop', { replicas: 1 }, 'acme'), demoInstance('shop', {}, 'globex'));
    const environment = {
      AIP_LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_SAMPLER: 'always_off',
    };
    controller = await fleet.controller('ctl-9', { ...SETTINGS, QUOTA_POLICIES_FILE: policies }, { environment });
    await seen(fleet, 'shop', 'ready', ({ status }) => status?.readyReplicas === 1, 'acme');
  }, 180_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await fleet.standing());
  });
  afterAll(async () => {
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('NAMESPACE, RELEASE and POD_NAME: the lease, the trust and the marks of what it runs', async () => {
    const holder = ['get', 'lease', 'prod-controller', '-n', NAMESPACE, '-o', 'jsonpath={.spec.holderIdentity}'];
    expect(await fleet.kubectl(holder)).toBe('ctl-9');
    expect(Object.keys(await secret('prod-ca', NAMESPACE))).toContain('ca.key');
    const trust = ['get', 'configmap', 'prod-trust', '-n', 'acme', '-o', 'jsonpath={.data.gateway-dids}'];
    expect(await fleet.kubectl(trust)).toMatch(/^did:key:/);
    const release = ['get', 'cinst', 'shop', '-n', 'acme', '-o', 'jsonpath={.metadata.annotations}'];
    expect(JSON.parse(await fleet.kubectl(release))).toMatchObject({ 'fleet.aip.dev/release': `${NAMESPACE}/prod` });
  });

  test('WATCH_NAMESPACES, TENANCY and ALLOW_IMAGE_TAGS: what is run, and for whom', async () => {
    const elsewhere = await fleet.json<{ status?: object }>(['get', 'cinst', 'shop', '-n', 'globex']);
    expect(elsewhere.status).toBeUndefined();
    const tagged = { type: 'demo', version: '1.0.0', image: 'registry.test/own:7' };
    await fleet.apply(
      demoInstance('foreign', { replicas: 1 }, 'acme'),
      demoInstance('tagged', { tenantId: 'shop', connector: tagged, replicas: 0 }, 'acme'),
    );
    const isRefused = (name: string, reason: string) =>
      seen(fleet, name, reason, (each) => condition(each, 'Admitted') === reason, 'acme');
    expect(await isRefused('foreign', 'False TenantNotAllowed')).toBeTruthy();
    // A tag is let through: what is asked next is the connector itself.
    expect(await isRefused('tagged', 'True VersionAdmitted')).toBeTruthy();
  });

  test('what hosts are given: image, addresses, principals, trust domain, telemetry', async () => {
    const name = await hostOf('shop');
    const { spec } = await fleet.json<{ spec: { containers: Container[] } }>(['get', 'pod', name, '-n', 'acme']);
    const [host] = spec.containers as [Container];
    const own = Object.fromEntries(host.env.map((each) => [each.name, each.value ?? each.valueFrom]));
    expect(host.image).toBe(IMAGE);
    expect(own).toMatchObject({
      AIP_CONNECTOR_HOST_CONTROL_ENDPOINT: SETTINGS.CONTROL_URL,
      AIP_CONNECTOR_HOST_CALLBACK_ENDPOINT: 'https://gw.corp.test/aip/v1/connector-callbacks',
      AIP_CONNECTOR_HOST_GATEWAY_PRINCIPAL_ID: 'service:own-gateway',
      AIP_CONNECTOR_HOST_TRUST_DOMAIN: 'other.test',
      AIP_CONNECTOR_HOST_PUBLIC_ENDPOINT: `https://${name}.shop.acme.svc.corp.local:8443/aip/v1/messages`,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_SAMPLER: 'always_off',
      OTEL_EXPORTER_OTLP_HEADERS: { secretKeyRef: { name: 'otlp', key: 'headers', optional: true } },
    });
  });

  test('NETWORK_POLICY and HOST_EGRESS: what hosts may reach', async () => {
    const { spec } = await fleet.json<{ spec: { policyTypes: string[]; egress: object[] } }>([
      'get',
      'networkpolicy',
      'shop',
      '-n',
      'acme',
    ]);
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(spec.egress.slice(-2)).toEqual([{ ports: [{ port: 6543, protocol: 'TCP' }] }, ...EGRESS.extra]);
  });

  test('WEBHOOKS: the address for deliveries', async () => {
    const secretOf = (file: string) => ({ file, secretKeyRef: { name: 'chatwoot', key: file } });
    await fleet.apply(
      demoInstance(
        'hooks',
        {
          connector: { type: 'chatwoot', version: '1.0.0' },
          tenantId: 'shop',
          replicas: 0,
          config: { base_url: 'https://chat.test', account_id: 1, operations: ['message:create'] },
          secrets: [secretOf('api-token'), secretOf('webhook-secret')],
          webhook: {},
        },
        'acme',
      ),
    );
    await seen(fleet, 'hooks', 'admitted', (each) => condition(each, 'Admitted') === 'True VersionAdmitted', 'acme');
    const url = ['get', 'cinst', 'hooks', '-n', 'acme', '-o', 'jsonpath={.status.webhookUrl}'];
    expect(await fleet.kubectl(url)).toBe('https://hooks.corp.test/acme/hooks/webhooks/chatwoot');
  });

  test('QUOTA_POLICIES_FILE: the policies of the registry', async () => {
    const stored = 'SELECT ref, revision, enabled, limits FROM registry.policies WHERE ref = $1';
    expect(await fleet.query(stored, [POLICY.ref])).toEqual([{ ...POLICY, revision: String(POLICY.revision) }]);
  });

  test('LEASE_TTL_MS, CONTROL_DNS_NAMES and AIP_LOG_LEVEL: a lease by the signed control plane, and its line in the log', async () => {
    const name = await hostOf('shop');
    const { seed = '' } = await secret(`${name}-identity`, 'acme');
    const key = signingKeyFromSeed(seed.trim());
    const [replica] = await fleet.query<{ id: string; health_revision: string }>(
      `SELECT id, health_revision FROM registry.replicas WHERE id LIKE $1`,
      [`crepl_acme.${name}.%`],
    );
    const now = Date.now();
    const body = {
      request_id: newId('message'),
      issued_at: formatTime(now),
      expires_at: formatTime(now + 30_000),
      signer_did: key.did,
      command: {
        operation: 'heartbeat',
        payload: {
          replica_id: replica?.id,
          previous_sequence: Number(replica?.health_revision),
          in_flight: 0,
          connector_ready: true,
        },
      },
    };
    const bind = await until('the control plane listens', () => /"bind":"(https:[^"]+)"/.exec(controller.log())?.[1]);
    const ca = await fleet.kubectl(['get', 'configmap', 'prod-trust', '-n', 'acme', '-o', 'jsonpath={.data.ca\\.crt}']);
    const dispatcher = new Agent({ connect: { ca, servername: 'cp.corp.test' } });
    const answer = await request(new URL('/aip/v1/connector-control', bind), {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request: body, signature: await signValue(body as never, key) }),
    });
    expect(await answer.body.json()).toMatchObject({ response: { status: 'lease' } });
    await dispatcher.close();
    const [lease] = await fleet.query<{ ms: string }>(
      `SELECT lease_expires_at - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms FROM registry.replicas WHERE id = $1`,
      [replica?.id],
    );
    expect(Number(lease?.ms)).toBeLessThanOrEqual(LEASE_MS);
    // Far more than the default of 30 s, however slow the machine is.
    expect(Number(lease?.ms)).toBeGreaterThan(LEASE_MS - 60_000);
    expect(await until('the line is there', () => controller.log().includes('lifecycle command committed'))).toBe(true);
  });

  test('GATEWAY_DNS_NAMES and ROTATION_OVERLAP_SECONDS: names of a certificate, and a rotation that ends in seconds', async () => {
    const gateway = await secret('prod-gateway', NAMESPACE);
    expect(readCertificate(gateway['tls.crt'] as string).dnsNames).toEqual(['gw.corp.test']);
    await fleet.kubectl(['annotate', 'secret', 'prod-gateway', '-n', NAMESPACE, 'fleet.aip.dev/rotate=now']);
    const rotated = await until(
      'the rotation has ended',
      async () => {
        const now = await secret('prod-gateway', NAMESPACE);
        return now.seed !== gateway.seed && !('seed.next' in now) && !('did.previous' in now) ? now : undefined;
      },
      120_000,
    );
    expect(rotated.seed).not.toBe(gateway.seed);
  });

  test('MAX_CONNECTIONS: however much there is to do', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `many-${at}`);
    await fleet.apply(...names.map((name) => externalInstance(name, { namespace: 'acme', tenantId: 'shop' })));
    const open = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'aip-controller' AND datname = current_database()`;
    let most = 0;
    await until('all are admitted', async () => {
      const [row] = await fleet.query<{ n: number }>(open);
      most = Math.max(most, row?.n ?? 0);
      const { items } = await fleet.json<{ items: { status?: { versionId?: string } }[] }>([
        'get',
        'cinst',
        '-n',
        'acme',
      ]);
      return items.filter(({ status }) => status?.versionId !== undefined).length >= names.length + 1;
    });
    expect(most).toBeGreaterThan(0);
    // One that is being closed may still be listed beside its successor.
    expect(most).toBeLessThanOrEqual(2 * CONNECTIONS);
  });
});
