import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostNetworkPolicy } from '#controller/cluster/objects/instance-objects.js';
import { readControllerConfig } from '#controller/cluster/process/config.js';
import { readConfig } from '#runtime/gateway/config.js';
import { instanceLike } from '../../../controller/cluster/support.ts';
import { PEER_CERTIFICATE } from '../../../runtime/transport/certificate.ts';
import { describeKube } from '../support/api-server.ts';
import { only, type Rendered, render } from './render.ts';

const DID = 'did:key:z6MkmghdggH9iwAwmMypZmN9EsfPGwsbvmum2HkFWXVzrAeE';
const DATABASE = 'postgres://aip:secret@database.example/aip?sslmode=verify-full';
const FIELDS: Record<string, string> = {
  'metadata.namespace': 'aip-system',
  'metadata.name': 'aip-controller-x',
};

describeKube('what the programs are told', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'aip-chart-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The variables of a Deployment's container; files of the Pod lie below the folder. */
  async function variables(
    ending: string,
    example: string,
    files: Record<string, string> = {},
    set: Record<string, unknown> = {},
  ): Promise<Record<string, string>> {
    const objects = await render({ example, set });
    const [container] = only(objects, 'Deployment', ending).spec.template.spec.containers;
    for (const [name, content] of Object.entries({ '/run/aip/database/url': DATABASE, ...files })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content, { mode: 0o600 });
    }
    return Object.fromEntries(
      container.env.map((entry: Rendered): [string, string] => {
        const value = entry.value ?? FIELDS[entry.valueFrom.fieldRef?.fieldPath] ?? DATABASE;
        return [entry.name, /^\/(run|etc)\/aip\//.test(value) && !value.includes(':') ? join(folder, value) : value];
      }),
    );
  }

  test.each(['trial.yaml', 'production.yaml'])('the controller takes it with %s', async (example) => {
    const config = readControllerConfig(await variables('-controller', example));
    expect(config).toMatchObject({
      namespace: 'aip-system',
      release: 'aip',
      database: { initial: { url: DATABASE } },
      tenancy: example === 'trial.yaml' ? 'open' : 'annotated',
      allowImageTags: example === 'trial.yaml',
      trustDomain: example === 'trial.yaml' ? 'aip.aip-system' : 'fleet.example.com',
      watchNamespaces: [],
      networkPolicy: true,
      controlUrl: 'https://aip-control-plane.aip-system.svc:8090/aip/v1/connector-control',
      certManagerIssuer: example === 'trial.yaml' ? undefined : 'ClusterIssuer/internal',
    });
    expect(config.gatewayDnsNames).toContain('aip-gateway.aip-system.svc.cluster.local');
    expect(config.gatewayDnsNames.includes('aip.example.com')).toBe(example === 'production.yaml');
  });

  test('what hosts may reach is passed to the controller, which restricts their NetworkPolicy to it; nothing unless requested', async () => {
    const hostExtraEgress = [{ ports: [{ port: 443, protocol: 'TCP' }] }];
    const set = {
      'networkPolicy.restrictHostEgress': true,
      'networkPolicy.postgresPort': 6432,
      'networkPolicy.hostExtraEgress': hostExtraEgress,
    };
    const { hostEgress } = readControllerConfig(await variables('-controller', 'production.yaml', {}, set));
    expect(hostEgress).toEqual({ postgresPort: 6432, extra: hostExtraEgress });
    expect(hostNetworkPolicy(instanceLike(), 'aip-system', hostEgress).spec).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      egress: [{}, {}, {}, { ports: [{ port: 6432, protocol: 'TCP' }] }, ...hostExtraEgress],
    });
    const plain = readControllerConfig(await variables('-controller', 'production.yaml'));
    expect(plain.hostEgress).toBeUndefined();
  });

  test.each(['trial.yaml', 'production.yaml'])('a gateway takes it with %s', async (example) => {
    const environment = await variables('-gateway', example, {
      '/run/aip/identity/tls.crt': PEER_CERTIFICATE.cert,
      '/run/aip/identity/tls.key': PEER_CERTIFICATE.key,
      '/run/aip/identity/seed': `${'ab'.repeat(32)}\n`,
      '/etc/aip/trust/ca.crt': PEER_CERTIFICATE.cert,
      '/etc/aip/trust/gateway-dids': `${DID}\n`,
      '/etc/aip/signers/signers.json': await signersOf(example),
    });
    const config = readConfig(environment);
    expect(config).toMatchObject({
      bind: { host: '0.0.0.0', port: 8443 },
      principal: { id: 'service:aip-gateway' },
      trustDomain: example === 'trial.yaml' ? 'aip.aip-system' : 'fleet.example.com',
      drainMs: example === 'trial.yaml' ? 10_000 : 30_000,
      fleet: {
        sharesDatabase: true,
        ownDids: { initial: [DID] },
        tlsCa: { files: [expect.stringMatching(/\/etc\/aip\/trust\/ca\.crt$/)] },
        trustRegistryEndpoints: true,
        allowPrivateNetworks: true,
        allowHttp: false,
      },
    });
    // Hosts get this URL from the controller and compare it with the one in each streaming action, character by character.
    const { gatewayUrl } = readControllerConfig(await variables('-controller', example));
    expect(config.fleet?.callbackUrl).toBe(`${gatewayUrl}/aip/v1/connector-callbacks`);
  });

  async function signersOf(example: string): Promise<string> {
    const map = (await render({ example })).find(({ metadata }) => metadata.name.endsWith('-trusted-signers'));
    return map?.data['signers.json'] ?? '[]';
  }

  test('a gateway reads who may decide approvals from the ConfigMap that the values name', async () => {
    const set = { 'gateway.approvalAuthorityConfigMap': 'approvers', 'gateway.retention.sessionsDays': 7 };
    const { spec } = only(await render({ example: 'production.yaml', set }), 'Deployment', '-gateway').spec.template;
    const [container] = spec.containers;
    expect(container.env).toContainEqual({
      name: 'AIP_GATEWAY_APPROVAL_AUTHORITY_FILE',
      value: '/etc/aip/approvals/authority.json',
    });
    expect(container.env).toContainEqual({ name: 'AIP_GATEWAY_RETENTION_SESSIONS_DAYS', value: '7' });
    expect(container.volumeMounts).toContainEqual({
      name: 'approvals',
      mountPath: '/etc/aip/approvals',
      readOnly: true,
    });
    expect(spec.volumes).toContainEqual({ name: 'approvals', configMap: { name: 'approvers' } });
  });

  test('a gateway takes delegates, broker settings and any further variable from the values', async () => {
    const files = {
      '/run/aip/identity/tls.crt': PEER_CERTIFICATE.cert,
      '/run/aip/identity/tls.key': PEER_CERTIFICATE.key,
      '/run/aip/identity/seed': `${'ab'.repeat(32)}\n`,
      '/etc/aip/trust/ca.crt': PEER_CERTIFICATE.cert,
      '/etc/aip/trust/gateway-dids': `${DID}\n`,
    };
    const peer = { peerId: 'service:library', peerDid: DID };
    const config = readConfig(
      await variables('-gateway', 'trial.yaml', files, {
        'gateway.delegation.httpRoutes': [
          {
            delegate: 'agent:librarian',
            url: 'https://library.example/aip/v1/messages',
            ...peer,
            trustDomain: 'library',
          },
          { delegate: 'agent:clerk', url: 'https://clerk.example/aip/v1/messages', ...peer },
        ],
        'gateway.delegation.brokerRoutes': [
          {
            capability: 'cap:kb:search',
            url: 'tls://nats.example',
            subject: 'kb.search',
            ...peer,
            trustDomain: 'library',
          },
          { capability: 'cap:kb:read', url: 'tls://nats.example', subject: 'kb.read', ...peer, timeoutMs: 1500 },
        ],
        'gateway.delegation.reportUrl': 'https://gateway.example/aip/v1/messages',
        'gateway.delegation.allowPrivateNetworks': true,
        'gateway.broker.urls': ['tls://nats.example'],
        'gateway.broker.trustDomain': 'broker.example',
        'gateway.broker.version': 'v7',
        'gateway.broker.requestTimeoutMs': 1234,
        'gateway.broker.maxInFlight': 9,
        'gateway.callbacks.recoveryBatch': 7,
        'gateway.callbacks.maxResponseBytes': 5_000_000,
        'gateway.settings': {
          CONNECTOR_FLEET_MAX_QUEUE_BYTES: 134_217_728,
          MAX_FOLLOWERS: '77',
          MAX_CLOCK_SKEW_MS: 900,
        },
      }),
    );
    expect(config.delegations.allowPrivateNetworks).toBe(true);
    expect(config.delegations.reportUrl).toBe('https://gateway.example/aip/v1/messages');
    expect([...config.delegations.routes]).toMatchObject([
      ['agent:librarian', { url: 'https://library.example/aip/v1/messages', did: DID, trustDomain: 'library' }],
      ['agent:clerk', { url: 'https://clerk.example/aip/v1/messages', did: DID }],
    ]);
    expect([...config.delegations.brokerRoutes]).toMatchObject([
      ['cap:kb:search', { server: 'tls://nats.example', subject: 'kb.search', trustDomain: 'library' }],
      ['cap:kb:read', { subject: 'kb.read', timeoutMs: 1500 }],
    ]);
    expect(config.broker).toMatchObject({
      service: { trustDomain: 'broker.example', version: 'v7' },
      requestTimeoutMs: 1234,
      maxInFlight: 9,
    });
    expect(config).toMatchObject({
      callbacks: { maxResponseBytes: 5_000_000 },
      followers: { total: 77 },
      maxClockSkewMs: 900,
    });
    await expect(render({ example: 'trial.yaml', set: { 'gateway.settings': { BIND: '0.0.0.0:1' } } })).rejects.toThrow(
      'BIND',
    );
  });

  test('a stop of a gateway has time for all its steps', async () => {
    const { spec } = only(await render({ example: 'production.yaml' }), 'Deployment', '-gateway').spec.template;
    expect(spec.terminationGracePeriodSeconds).toBe(55);
  });

  test('quota policies come in the form of the registry', async () => {
    const map = only(await render({ example: 'production.yaml' }), 'ConfigMap', '-quota-policies');
    expect(JSON.parse(map.data['policies.json'])).toEqual([
      {
        ref: 'standard',
        revision: 1,
        enabled: true,
        limits: {
          max_tenant_in_flight: 500,
          max_instance_in_flight: 250,
          circuit_failure_threshold: 5,
          circuit_open_ms: 30000,
        },
      },
    ]);
  });
});
