import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Agent, request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readCertificate } from '#controller/trust/certificates/certificate.js';
import { newId } from '#runtime/protocol/ids.js';
import { signValue } from '#runtime/protocol/lifecycle.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import { probeCapability } from '../../../support/external-host.ts';
import { until } from '../../../support/until.ts';
import { describeKube } from '../support/api-server.ts';
import { established } from '../support/established.ts';
import { podCredentials } from '../support/service-account.ts';
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
 * The variables of the controller, each off its default, but for those that say how it finds the API server. A second controller has
 * ACQUIRE_TIMEOUT_MS, since a time that is short enough to be seen disturbs the others, and a third CERT_MANAGER_ISSUER.
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
  WORKERS: '1',
  ROTATION_OVERLAP_SECONDS: '1',
};

/** The kind of cert-manager, as far as an API server has to know it. */
const CERTIFICATES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.cert-manager.io' },
  spec: {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { kind: 'Certificate', plural: 'certificates', singular: 'certificate', listKind: 'CertificateList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** How Linux writes the state of an open connection. */
const ESTABLISHED = '01';

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

  /** Sends a heartbeat to the control plane of a controller: of the host of `shop`, signed by it, unless another replica is named. */
  const heartbeat = async (
    to: Controller,
    dispatcher: Agent,
    of?: string,
  ): Promise<{ replica: string; answer: unknown }> => {
    const name = await hostOf('shop');
    const { seed = '' } = await secret(`${name}-identity`, 'acme');
    const key = signingKeyFromSeed(seed.trim());
    const [row] = await fleet.query<{ id: string; health_revision: string }>(
      `SELECT id, health_revision FROM registry.replicas WHERE id LIKE $1`,
      [`crepl_acme.${name}.%`],
    );
    const replica = of ?? (row?.id as string);
    const now = Date.now();
    const body = {
      request_id: newId('message'),
      issued_at: formatTime(now),
      expires_at: formatTime(now + 30_000),
      signer_did: key.did,
      command: {
        operation: 'heartbeat',
        payload: {
          replica_id: replica,
          previous_sequence: Number(row?.health_revision),
          in_flight: 0,
          connector_ready: true,
        },
      },
    };
    const bind = await until('the control plane listens', () => /"bind":"(https:[^"]+)"/.exec(to.log())?.[1]);
    const answer = await request(new URL('/aip/v1/connector-control', bind), {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request: body, signature: await signValue(body as never, key) }),
    });
    return { replica, answer: await answer.body.json() };
  };
  /** Statements of controllers that wait for a lock. */
  const waiting = async (): Promise<number> => {
    const [row] = await fleet.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE application_name = 'aip-controller' AND datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.n ?? 0;
  };
  /** Sends until one waits for the lock, and gives that one: on a busy machine a request may be refused before it has a connection. */
  const heldBack = async <T>(send: () => Promise<T>): Promise<{ answer: Promise<T> }> => {
    for (;;) {
      let answered = false;
      const answer = send().finally(() => {
        answered = true;
      });
      await until('it waits for the lock, or is answered', async () => answered || (await waiting()) === 1);
      if (!answered) return { answer };
    }
  };
  /** Runs `work` while a transaction of the test holds what `sql` locks. */
  const locked = async (sql: string, values: unknown[], work: () => Promise<void>): Promise<void> => {
    const client = new pg.Client({ connectionString: fleet.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(sql, values);
      await work();
    } finally {
      await client.end();
    }
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
    const ca = await fleet.kubectl(['get', 'configmap', 'prod-trust', '-n', 'acme', '-o', 'jsonpath={.data.ca\\.crt}']);
    const dispatcher = new Agent({ connect: { ca, servername: 'cp.corp.test' } });
    const { replica, answer } = await heartbeat(controller, dispatcher);
    expect(answer).toMatchObject({ response: { status: 'lease' } });
    await dispatcher.close();
    const [lease] = await fleet.query<{ ms: string }>(
      `SELECT lease_expires_at - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms FROM registry.replicas WHERE id = $1`,
      [replica],
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

  test('WORKERS: so many instances are reconciled at once', async () => {
    const types = ['one', 'two', 'three'];
    await locked('LOCK TABLE registry.types IN SHARE MODE', [], async () => {
      await fleet.apply(
        ...types.map((type) => {
          const capabilities = [{ ...probeCapability('echo'), id: `cap:${type}:echo` }];
          return externalInstance(`at-once-${type}`, { namespace: 'acme', tenantId: 'shop', type, capabilities });
        }),
      );
      const isOne = await until('one waits for the lock, and two for a worker', async () => {
        const depth = /^aip_controller_queue_depth\{[^}]*instance[^}]*\} (\d+)$/m.exec(
          (await controller.admin('/metrics')).text,
        );
        return (await waiting()) === 1 && Number(depth?.[1]) >= 2;
      });
      expect(isOne).toBe(true);
    });
    for (const type of types)
      await seen(fleet, `at-once-${type}`, 'admitted', (each) => condition(each, 'Admitted') !== undefined, 'acme');
  });

  test('MAX_CONNECTIONS: however much there is to do', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `many-${at}`);
    await fleet.apply(...names.map((name) => externalInstance(name, { namespace: 'acme', tenantId: 'shop' })));
    const port = Number(new URL(fleet.databaseUrl).port);
    const pid = controller.process.pid as number;
    let most = 0;
    await until('all are admitted', async () => {
      const before = await connectionsTo(pid, port);
      // A connection that is being closed is gone once the process has answered: what is there before and after is open.
      await controller.admin('/health');
      const after = new Set(await connectionsTo(pid, port));
      most = Math.max(most, before.filter((each) => after.has(each)).length);
      const { items } = await fleet.json<{ items: { status?: { versionId?: string }; metadata: { name: string } }[] }>([
        'get',
        'cinst',
        '-n',
        'acme',
      ]);
      const admitted = items
        .filter(({ status }) => status?.versionId !== undefined)
        .map(({ metadata }) => metadata.name);
      return names.every((name) => admitted.includes(name));
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(CONNECTIONS);
  });

  test('CERT_MANAGER_ISSUER: certificates are requested of that issuer', async () => {
    const namespace = 'issued-system';
    await fleet.kubectl(['create', 'namespace', namespace]);
    await fleet.apply(CERTIFICATES);
    await established(fleet);
    await fleet.controller('ctl-issued', {
      NAMESPACE: namespace,
      RELEASE: 'issued',
      WATCH_NAMESPACES: namespace,
      CERT_MANAGER_ISSUER: 'ClusterIssuer/corporate',
    });
    const asked = await until('both are requested', async () => {
      const { items } = await fleet.json<{ items: { metadata: { name: string }; spec: { issuerRef: object } }[] }>([
        'get',
        CERTIFICATES.metadata.name,
        '-n',
        namespace,
      ]);
      return items.length === 2 && items;
    });
    const issuerRef = { name: 'corporate', kind: 'ClusterIssuer', group: 'cert-manager.io' };
    expect(asked.map(({ spec }) => spec.issuerRef)).toEqual([issuerRef, issuerRef]);
    await fleet.stopController('ctl-issued');
  });

  test('SERVICE_ACCOUNT_ROOT: a controller in a Pod finds the API server by the files of its service account', async () => {
    const namespace = 'pod-system';
    await fleet.kubectl(['create', 'namespace', namespace]);
    await fleet.kubectl(['create', 'serviceaccount', 'robot']);
    const admin = ['--clusterrole=cluster-admin', '--serviceaccount=default:robot'];
    await fleet.kubectl(['create', 'clusterrolebinding', 'robot', ...admin]);
    const env = { NAMESPACE: namespace, RELEASE: 'pod', WATCH_NAMESPACES: namespace };
    const inPod = await fleet.controller('ctl-pod', env, { pod: await podCredentials(fleet.api, 'robot') });
    expect(await until('it leads', () => inPod.log().includes('"became leader"'))).toBe(true);
    await fleet.stopController('ctl-pod');
  });

  test('ACQUIRE_TIMEOUT_MS: a request that finds no free connection is refused before the statement that holds it is given up', async () => {
    await fleet.stopController('ctl-9');
    const namespace = 'short-system';
    await fleet.kubectl(['create', 'namespace', namespace]);
    const short = await fleet.controller('ctl-short', {
      NAMESPACE: namespace,
      RELEASE: 'short',
      WATCH_NAMESPACES: namespace,
      MAX_CONNECTIONS: String(CONNECTIONS),
      ACQUIRE_TIMEOUT_MS: '1000',
    });
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    const name = await hostOf('shop');
    const lock = `SELECT FROM registry.replicas WHERE id LIKE $1 FOR UPDATE`;
    await locked(lock, [`crepl_acme.${name}.%`], async () => {
      const first = await heldBack(() => heartbeat(short, dispatcher));
      // Of a replica that it has not read yet.
      const second = heartbeat(short, dispatcher, newId('connectorReplica'));
      expect(await Promise.race([first.answer.then(() => 'first'), second.then(() => 'second')])).toBe('second');
      expect((await second).answer).toMatchObject({
        response: { status: 'rejected', code: 'connector_control.unavailable', retryable: true },
      });
      await first.answer;
    });
    await dispatcher.close();
  });
});

/** Inodes of the open TCP connections of a process to a port. */
async function connectionsTo(pid: number, port: number): Promise<string[]> {
  const own = new Set<string>();
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) ?? [];
    if (inode !== undefined) own.add(inode);
  }
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')));
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(`:${hex}`) && state === ESTABLISHED)
    .map((columns) => columns[9] as string)
    .filter((inode) => own.has(inode));
}
