import { expect, onTestFinished, test } from 'vitest';
import { describePod } from '#controller/cluster/objects/describe-pod.js';
import { hostPod } from '#controller/cluster/objects/host-pod.js';
import { disruptionBudget, headlessService, hostNetworkPolicy } from '#controller/cluster/objects/instance-objects.js';
import type { Template } from '#controller/cluster/objects/template.js';
import { webhookNetworkPolicy, webhookService } from '#controller/cluster/objects/webhook-objects.js';
import { openDatabases } from '#controller/cluster/provision/databases.js';
import { ensureIdentity, IdentityLost } from '#controller/cluster/provision/identities.js';
import { hostRole } from '#controller/fleet/host-database.js';
import type { CentralAddresses } from '#controller/fleet/host-variables.js';
import type { Launch } from '#controller/fleet/launch.js';
import type { Kube, KubeObject } from '#controller/kube/kube.js';
import { createCa } from '#controller/trust/certificates/ca.js';
import { readCertificate } from '#controller/trust/certificates/certificate.js';
import { type SecretObject, secretText } from '#controller/trust/objects.js';
import { openPool } from '#runtime/postgres/pool.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { freshDatabase } from '../../../support/database.ts';
import { SETTINGS } from '../../trust/support/release.ts';
import { instanceLike, replicaLike, UID } from '../support.ts';

const launch: Launch = {
  connectorType: 'chatwoot',
  config: { account: 1 },
  secrets: [{ file: 'webhook-secret', secretKeyRef: { name: 'chatwoot', key: 'webhook' } }],
  events: true,
  topology: { region: 'eu', zone: 'a', capacityClass: 'large' },
  capacity: 12,
  tenantId: 'acme',
  configRevision: 7,
  secretProviderRef: 'kubernetes://acme/demo',
  instanceId: 'cinst_1',
  versionId: 'cver_1',
  artifactDigest: `sha256:${'ab'.repeat(32)}`,
  drainTimeoutMs: 45_000,
};
const pod = {
  labels: { team: 'crm', 'app.kubernetes.io/component': 'gateway' },
  annotations: { note: 'x' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [],
  affinity: {},
  topologySpreadConstraints: [],
  priorityClassName: 'high',
  imagePullSecrets: [{ name: 'pull' }],
  runtimeClassName: 'gvisor',
};
const fleet: CentralAddresses = {
  trustDomain: 'fleet.test',
  controlUrl: 'https://control.test/aip/v1/connector-control',
  gatewayUrl: 'https://gateway.test',
  gatewayPrincipalId: 'service:central',
  databaseCa: true,
};
const replica = replicaLike();
const podOf = (template: Partial<Template> = {}) =>
  hostPod(replica, {
    template: { launch, image: 'registry.test/aip-runtime:1', pod: pod as Template['pod'], ...template },
    replicaId: 'crepl_1',
    fleet,
    trustConfigMap: 'aip-trust',
  });

/** Name, place, labels and owner of what belongs to the instance. */
const metadata = (name: string) => ({
  name,
  namespace: 'acme',
  labels: { 'fleet.aip.dev/instance': 'demo', 'app.kubernetes.io/managed-by': 'aip-controller' },
  ownerReferences: [
    {
      apiVersion: 'fleet.aip.dev/v1alpha1',
      kind: 'ConnectorInstance',
      name: 'demo',
      uid: UID,
      controller: true,
      blockOwnerDeletion: false,
    },
  ],
});

test('the Pod of a host with telemetry: the variables of the controller, the headers from a Secret of its own namespace', () => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318' };
  const made = hostPod(replica, {
    template: { launch, image: 'registry.test/aip-runtime:1', pod: pod as Template['pod'] } as Template,
    replicaId: 'crepl_1',
    fleet: { ...fleet, telemetry: { variables, headersSecret: 'otlp-headers' } },
    trustConfigMap: 'aip-trust',
  });
  const [host] = (made.spec as { containers: { env: object[] }[] }).containers;
  const [plain] = (podOf().spec as { containers: { env: object[] }[] }).containers;
  const secretKeyRef = { name: 'otlp-headers', key: 'headers', optional: true };
  expect(host?.env).toEqual([
    ...(plain?.env ?? []),
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector.test:4318' },
    { name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef } },
  ]);
});

test('the Pod of a host: restricted, without a token, with a read-only root, its secrets mounted for its group alone', () => {
  expect(podOf()).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'demo-abcdef-0',
      namespace: 'acme',
      labels: {
        team: 'crm',
        'fleet.aip.dev/instance': 'demo',
        'app.kubernetes.io/managed-by': 'aip-controller',
        'fleet.aip.dev/template': 'abcdef',
        'app.kubernetes.io/name': 'aip-connector-host',
        'app.kubernetes.io/component': 'host',
      },
      annotations: { note: 'x', 'kubectl.kubernetes.io/default-container': 'host' },
      ownerReferences: [
        {
          apiVersion: 'fleet.aip.dev/v1alpha1',
          kind: 'ConnectorReplica',
          name: 'demo-abcdef-0',
          uid: '99999999-2222-3333-4444-555555555555',
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        fsGroup: 65532,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      nodeSelector: { disk: 'ssd' },
      tolerations: [],
      affinity: {},
      topologySpreadConstraints: [],
      priorityClassName: 'high',
      imagePullSecrets: [{ name: 'pull' }],
      runtimeClassName: 'gvisor',
      shareProcessNamespace: true,
      hostname: 'demo-abcdef-0',
      subdomain: 'demo',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 75,
      containers: [
        {
          name: 'host',
          image: 'registry.test/aip-runtime:1',
          args: ['host'],
          imagePullPolicy: 'IfNotPresent',
          resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          env: [
            {
              name: 'AIP_IMPORT_SECRETS',
              value:
                '/etc/aip/identity:/run/aip/identity,/etc/aip/database:/run/aip/database,/etc/aip/secrets:/run/aip/secrets',
            },
            { name: 'AIP_CHATWOOT_WEBHOOK_SECRET_FILE', value: '/run/aip/secrets/webhook-secret' },
            { name: 'AIP_CONNECTOR_HOST_PUBLIC_ENDPOINT', value: 'https://a.test/aip/v1/messages' },
            {
              name: 'AIP_CONNECTOR_HOST_CONTROL_ENDPOINT',
              value: 'https://control.test/aip/v1/connector-control',
            },
            { name: 'AIP_CONNECTOR_HOST_GATEWAY_PRINCIPAL_ID', value: 'service:central' },
            { name: 'AIP_CONNECTOR_HOST_TYPE_ID', value: 'ctype_chatwoot' },
            { name: 'AIP_CONNECTOR_HOST_VERSION_ID', value: 'cver_1' },
            { name: 'AIP_CONNECTOR_HOST_INSTANCE_ID', value: 'cinst_1' },
            { name: 'AIP_CONNECTOR_HOST_REPLICA_ID', value: 'crepl_1' },
            { name: 'AIP_CONNECTOR_HOST_TENANT_ID', value: 'acme' },
            { name: 'AIP_CONNECTOR_HOST_TRUST_DOMAIN', value: 'fleet.test' },
            { name: 'AIP_CONNECTOR_HOST_REGION', value: 'eu' },
            { name: 'AIP_CONNECTOR_HOST_ZONE', value: 'a' },
            { name: 'AIP_CONNECTOR_HOST_CAPACITY_CLASS', value: 'large' },
            {
              name: 'AIP_CONNECTOR_HOST_ARTIFACT_DIGEST',
              value: launch.artifactDigest,
            },
            { name: 'AIP_CONNECTOR_HOST_SECRET_PROVIDER_REF', value: 'kubernetes://acme/demo' },
            { name: 'AIP_CONNECTOR_HOST_CONFIG_REVISION', value: '7' },
            {
              name: 'AIP_CONNECTOR_HOST_CALLBACK_ENDPOINT',
              value: 'https://gateway.test/aip/v1/connector-callbacks',
            },
            {
              name: 'AIP_CONNECTOR_HOST_EVENT_ENDPOINT',
              value: 'https://gateway.test/aip/v1/connector-events',
            },
            { name: 'AIP_CONNECTOR_HOST_MAX_IN_FLIGHT', value: '12' },
            { name: 'AIP_CONNECTOR_HOST_DRAIN_TIMEOUT_MS', value: '45000' },
            { name: 'AIP_CONNECTOR_HOST_CONNECTOR', value: 'chatwoot' },
            { name: 'AIP_CONNECTOR_HOST_BIND', value: '0.0.0.0:8443' },
            { name: 'AIP_CONNECTOR_HOST_TLS_CERT_FILE', value: '/run/aip/identity/tls.crt' },
            { name: 'AIP_CONNECTOR_HOST_TLS_KEY_FILE', value: '/run/aip/identity/tls.key' },
            { name: 'AIP_CONNECTOR_HOST_SIGNING_SEED_FILE', value: '/run/aip/identity/seed' },
            { name: 'AIP_CONNECTOR_HOST_DATABASE_URL_FILE', value: '/run/aip/database/url' },
            { name: 'AIP_CONNECTOR_HOST_DATABASE_CA_FILE', value: '/run/aip/database/ca.crt' },
            { name: 'AIP_CONNECTOR_HOST_TLS_CA_FILE', value: '/etc/aip/trust/ca.crt' },
            {
              name: 'AIP_CONNECTOR_HOST_CONTROL_DIDS_FILE',
              value: '/etc/aip/trust/control-plane-dids',
            },
            { name: 'AIP_CONNECTOR_HOST_GATEWAY_DIDS_FILE', value: '/etc/aip/trust/gateway-dids' },
            { name: 'AIP_CONNECTOR_HOST_CONFIG_FILE', value: '/etc/aip/config/config.json' },
            { name: 'AIP_CONNECTOR_HOST_SECRETS_DIR', value: '/run/aip/secrets' },
            { name: 'AIP_CONNECTOR_HOST_CALLBACK_ALLOW_PRIVATE', value: 'true' },
            { name: 'AIP_CONNECTOR_HOST_NAME_WAIT_MS', value: '120000' },
            { name: 'AIP_CONNECTOR_HOST_WEBHOOK_PATH_PREFIX', value: '/acme/demo' },
            { name: 'AIP_CONNECTOR_HOST_EVENT_ALLOW_PRIVATE', value: 'true' },
          ],
          ports: [{ name: 'https', containerPort: 8443, protocol: 'TCP' }],
          startupProbe: {
            httpGet: { path: '/health', port: 'https', scheme: 'HTTPS' },
            timeoutSeconds: 5,
            periodSeconds: 1,
            failureThreshold: 120,
          },
          livenessProbe: {
            httpGet: { path: '/health', port: 'https', scheme: 'HTTPS' },
            timeoutSeconds: 5,
            periodSeconds: 10,
            failureThreshold: 6,
          },
          readinessProbe: {
            httpGet: { path: '/ready', port: 'https', scheme: 'HTTPS' },
            timeoutSeconds: 5,
            periodSeconds: 5,
            failureThreshold: 2,
          },
          volumeMounts: [
            { name: 'run', mountPath: '/run/aip' },
            { name: 'trust', mountPath: '/etc/aip/trust', readOnly: true },
            { name: 'config', mountPath: '/etc/aip/config', readOnly: true },
            { name: 'identity', mountPath: '/etc/aip/identity', readOnly: true },
            { name: 'database', mountPath: '/etc/aip/database', readOnly: true },
            { name: 'secrets', mountPath: '/etc/aip/secrets', readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
        { name: 'trust', configMap: { name: 'aip-trust' } },
        {
          name: 'config',
          configMap: { name: 'demo-abcdef', items: [{ key: 'config.json', path: 'config.json' }] },
        },
        { name: 'identity', secret: { secretName: 'demo-abcdef-0-identity', defaultMode: 0o440 } },
        { name: 'database', secret: { secretName: 'demo-database', defaultMode: 0o440 } },
        {
          name: 'secrets',
          projected: {
            defaultMode: 0o440,
            sources: [
              {
                secret: { name: 'chatwoot', items: [{ key: 'webhook', path: 'webhook-secret' }] },
              },
            ],
          },
        },
      ],
    },
  });
});

test('the Pod of a host without secrets, events and settings of its own mounts and names none', () => {
  const { spec, metadata: made } = podOf({
    launch: { ...launch, secrets: [], events: false },
    pod: {} as Template['pod'],
  });
  expect(made.annotations).toEqual({ 'kubectl.kubernetes.io/default-container': 'host' });
  expect(Object.keys(spec ?? {})).toEqual([
    'automountServiceAccountToken',
    'enableServiceLinks',
    'securityContext',
    'shareProcessNamespace',
    'hostname',
    'subdomain',
    'restartPolicy',
    'terminationGracePeriodSeconds',
    'containers',
    'volumes',
  ]);
  const [container] = (spec?.containers ?? []) as { env: { name: string }[]; volumeMounts: { name: string }[] }[];
  expect(container?.volumeMounts.map(({ name }) => name)).toEqual(['run', 'trust', 'config', 'identity', 'database']);
  expect(((spec?.volumes ?? []) as { name: string }[]).map(({ name }) => name)).toEqual([
    'run',
    'trust',
    'config',
    'identity',
    'database',
  ]);
  const names = container?.env.map(({ name }) => name) ?? [];
  expect(names.filter((name) => /SECRETS_DIR|WEBHOOK|EVENT|CHATWOOT/.test(name))).toEqual([]);
});

test('what an instance adds to the Pod of its hosts stands beside what the fleet puts there', () => {
  const digest = `sha256:${'c'.repeat(64)}`;
  const added: Template['pod'] = {
    runAs: 'Platform',
    serviceAccountName: 'crm',
    env: [
      { name: 'HTTPS_PROXY', value: 'http://proxy.test' },
      { name: 'REGION', valueFrom: { configMapKeyRef: { name: 'place', key: 'region' } } },
    ],
    volumes: [
      { name: 'ca', configMap: { name: 'corporate-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
      { name: 'key', secret: { secretName: 'provider' } },
      { name: 'share', persistentVolumeClaim: { claimName: 'share', readOnly: true } },
      {
        name: 'cloud',
        projected: {
          sources: [{ serviceAccountToken: { audience: 'sts.test', expirationSeconds: 900, path: 'token' } }],
        },
      },
    ],
    volumeMounts: [
      { name: 'ca', mountPath: '/mnt/ca', readOnly: true },
      { name: 'cloud', mountPath: '/mnt/cloud/token', subPath: 'token' },
    ],
    sidecars: [
      {
        name: 'host',
        image: `registry.test/proxy@${digest}`,
        args: ['--port', '1'],
        env: [{ name: 'NODE_ENV', value: 'x' }],
        volumeMounts: [{ name: 'run', mountPath: '/run/proxy' }],
      },
    ],
  };
  const plain = podOf({ pod: {} as Template['pod'] });
  const { spec } = podOf({ pod: added });
  const container = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const [host] = (plain.spec?.containers ?? []) as { env: object[]; volumeMounts: object[] }[];
  expect(spec).toEqual({
    ...plain.spec,
    securityContext: {
      runAsNonRoot: true,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    serviceAccountName: 'crm',
    automountServiceAccountToken: false,
    shareProcessNamespace: false,
    terminationGracePeriodSeconds: 80,
    initContainers: [
      {
        name: 'user-host',
        image: `registry.test/proxy@${digest}`,
        args: ['--port', '1'],
        env: [{ name: 'NODE_ENV', value: 'x' }],
        restartPolicy: 'Always',
        imagePullPolicy: 'IfNotPresent',
        resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } },
        securityContext: container,
        volumeMounts: [{ name: 'user-run', mountPath: '/run/proxy' }],
      },
    ],
    containers: [
      {
        ...host,
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        env: [...(host?.env ?? []), ...(added.env ?? [])],
        volumeMounts: [
          ...(host?.volumeMounts ?? []),
          { name: 'user-ca', mountPath: '/mnt/ca', readOnly: true },
          { name: 'user-cloud', mountPath: '/mnt/cloud/token', subPath: 'token' },
        ],
      },
    ],
    volumes: [
      ...((plain.spec?.volumes ?? []) as object[]),
      { name: 'user-ca', configMap: { name: 'corporate-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { name: 'user-run', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
      { name: 'user-key', secret: { secretName: 'provider', defaultMode: 0o440 } },
      { name: 'user-share', persistentVolumeClaim: { claimName: 'share', readOnly: true } },
      {
        name: 'user-cloud',
        projected: {
          sources: [{ serviceAccountToken: { audience: 'sts.test', expirationSeconds: 900, path: 'token' } }],
        },
      },
    ],
  });
  const described = describePod(instanceLike({ pod: added }), 'source', 'registry.test/aip-runtime:1').spec;
  expect(described).toEqual({
    ...describePod(instanceLike(), 'source', 'registry.test/aip-runtime:1').spec,
    securityContext: spec?.securityContext,
  });
});

test('the PodDisruptionBudget lets one host at a time be evicted', () => {
  expect(disruptionBudget(instanceLike({ replicas: 3 }))).toEqual({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata('demo'),
    spec: {
      minAvailable: 2,
      selector: { matchLabels: { 'fleet.aip.dev/instance': 'demo', 'app.kubernetes.io/component': 'host' } },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  });
  expect(disruptionBudget(instanceLike({ replicas: 1 })).spec).toMatchObject({ minAvailable: 0 });
});

test('F-131 part: the Service of an instance is headless and names hosts before they are ready', () => {
  expect(headlessService(instanceLike())).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata('demo'),
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { 'fleet.aip.dev/instance': 'demo', 'app.kubernetes.io/component': 'host' },
      ports: [{ name: 'https', port: 8443, targetPort: 'https', protocol: 'TCP' }],
    },
  });
});

test('the NetworkPolicy lets only gateways of the release namespace reach the hosts', () => {
  expect(hostNetworkPolicy(instanceLike(), 'aip', undefined)).toEqual({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata('demo'),
    spec: {
      podSelector: { matchLabels: { 'fleet.aip.dev/instance': 'demo', 'app.kubernetes.io/component': 'host' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'aip' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } },
            },
          ],
          ports: [{ port: 'https', protocol: 'TCP' }],
        },
      ],
    },
  });
});

test('the NetworkPolicy with egress lets hosts reach DNS, control plane, gateways, the database and what is given', () => {
  const policy = hostNetworkPolicy(instanceLike(), 'aip', { postgresPort: 5432, extra: [{ ports: [{ port: 443 }] }] });
  const closed = hostNetworkPolicy(instanceLike(), 'aip', undefined);
  expect(policy).toEqual({
    ...closed,
    spec: {
      ...closed.spec,
      policyTypes: ['Ingress', 'Egress'],
      egress: [
        {
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
        {
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'aip' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/component': 'controller' } },
            },
          ],
          ports: [{ port: 8090, protocol: 'TCP' }],
        },
        {
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'aip' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } },
            },
          ],
          ports: [{ port: 8443, protocol: 'TCP' }],
        },
        { ports: [{ port: 5432, protocol: 'TCP' }] },
        { ports: [{ port: 443 }] },
      ],
    },
  });
});

test('F-131 part: the Service and the NetworkPolicy for webhook deliveries', () => {
  expect(webhookService(instanceLike())).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata('demo-webhooks'),
    spec: {
      type: 'ClusterIP',
      selector: { 'fleet.aip.dev/instance': 'demo', 'app.kubernetes.io/component': 'host' },
      ports: [{ name: 'https', port: 443, targetPort: 'https', protocol: 'TCP' }],
    },
  });
  const from = [{ namespaceSelector: {} }];
  expect(webhookNetworkPolicy(instanceLike(), { from })).toEqual({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata('demo-webhooks'),
    spec: {
      podSelector: { matchLabels: { 'fleet.aip.dev/instance': 'demo', 'app.kubernetes.io/component': 'host' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 'https', protocol: 'TCP' }] }],
    },
  });
});

/** The texts of a Secret in their order. */
const texts = (secret: SecretObject): [string, string | undefined][] =>
  Object.keys(secret.data ?? {}).map((key) => [key, secretText(secret, key)]);

test('the Secret of a replica is owned by it and holds its seed, its DID and its leaf, and nothing else', async () => {
  const now = Date.UTC(2026, 0, 1);
  const pair = await createCa({ now });
  const certificate = readCertificate(pair.certPem);
  const made: SecretObject[] = [];
  const known = await ensureIdentity(replicaLike({ peerDid: undefined }), {
    kube: {} as Kube,
    ensure: {
      created: async (_kind: unknown, _owner: unknown, object: KubeObject) => {
        made.push(object as SecretObject);
        return object;
      },
    } as never,
    settings: SETTINGS,
    authority: async () => ({ pair, certificate }),
    clusterDomain: 'cluster.local',
    now,
  });
  expect(made).toHaveLength(1);
  const [secret] = made as [SecretObject];
  const { data, ...rest } = secret;
  expect(rest).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'demo-abcdef-0-identity',
      namespace: 'acme',
      labels: { 'fleet.aip.dev/instance': 'demo', 'app.kubernetes.io/managed-by': 'aip-controller' },
      annotations: { 'fleet.aip.dev/issuer': known.issuer },
      ownerReferences: [
        {
          apiVersion: 'fleet.aip.dev/v1alpha1',
          kind: 'ConnectorReplica',
          name: 'demo-abcdef-0',
          uid: '99999999-2222-3333-4444-555555555555',
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    type: 'Opaque',
  });
  expect(Object.keys(data ?? {}).sort()).toEqual(['did', 'seed', 'tls.crt', 'tls.key']);
  expect(secretText(secret, 'did')).toBe(known.did);
  expect(signingKeyFromSeed(secretText(secret, 'seed') as string).did).toBe(known.did);
  const leaf = readCertificate(secretText(secret, 'tls.crt') as string);
  expect(leaf.issuedBy(certificate)).toBe(true);
  expect(leaf.hasKey(secretText(secret, 'tls.key') as string)).toBe(true);
});

test('a Secret that holds another key than the one that was pinned is noticed, whosever it is', async () => {
  const now = Date.now();
  const pair = await createCa({ now });
  const certificate = readCertificate(pair.certPem);
  const made: SecretObject[] = [];
  const deps = (present?: SecretObject) => ({
    kube: { get: async () => present } as unknown as Kube,
    ensure: {
      created: async (_kind: unknown, _owner: unknown, object: KubeObject) => {
        made.push(object as SecretObject);
        return object;
      },
    } as never,
    settings: SETTINGS,
    authority: async () => ({ pair, certificate }),
    clusterDomain: 'cluster.local',
    now,
  });
  const { did } = await ensureIdentity(replicaLike({ peerDid: undefined }), deps());
  await ensureIdentity(replicaLike({ peerDid: undefined }), deps());
  const [own, other] = made as [SecretObject, SecretObject];
  const pinned = replicaLike({ peerDid: did });
  expect((await ensureIdentity(pinned, deps(own))).did).toBe(did);
  await expect(ensureIdentity(pinned, deps(other))).rejects.toThrow(IdentityLost);
  await expect(ensureIdentity(pinned, deps())).rejects.toThrow(IdentityLost);
});

test("the Secret of an instance's database holds its own role's address and the authority, never the fleet's own", async () => {
  const database = await freshDatabase();
  const pool = openPool({ url: database.url, max: 1 });
  onTestFinished(async () => {
    await pool.close();
    await database.drop();
  });
  const uid = `${UID}-${new URL(database.url).pathname}`;
  const owner = instanceLike({}, { uid });
  let stored: SecretObject | undefined;
  const databases = openDatabases({
    kube: {
      get: async () => stored as never,
      replace: async (_kind: unknown, object: KubeObject) => {
        stored = object as SecretObject;
        return object as never;
      },
      delete: async () => undefined,
    },
    ensure: {
      created: async (_kind: unknown, _owner: unknown, object: KubeObject) => {
        stored = object as SecretObject;
        return object;
      },
    } as never,
    pool,
    address: () => ({ url: database.url, ca: 'the authority' }),
  });
  onTestFinished(() => databases.drop(owner));
  await databases.ensure(owner);
  const { data: _, ...rest } = stored as SecretObject;
  const own = metadata('demo-database');
  expect(rest).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...own, ownerReferences: own.ownerReferences.map((reference) => ({ ...reference, uid })) },
    type: 'Opaque',
  });
  const password = secretText(stored as SecretObject, 'password') as string;
  expect(password).toMatch(/^[0-9a-f]{48}$/);
  const url = new URL(database.url);
  url.username = hostRole(uid);
  url.password = password;
  expect(texts(stored as SecretObject)).toEqual([
    ['password', password],
    ['url', url.href],
    ['ca.crt', 'the authority'],
  ]);
});
