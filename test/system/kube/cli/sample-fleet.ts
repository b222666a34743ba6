import { API_VERSION } from '#controller/api/group.js';
import { KINDS } from '#controller/api/kinds.js';
import type { Kube, KubeObject } from '#controller/kube/kube.js';
import { formatTime } from '#runtime/protocol/time.js';

const VERSION_ID = 'cver_0123456789abcdef0123456789abcdef';
const DID = 'did:key:z6MkmghdggH9iwAwmMypZmN9EsfPGwsbvmum2HkFWXVzrAeE';
const OLD_VERSION_ID = 'cver_fedcba9876543210fedcba9876543210';

/** When the old host of the sample is ended at the latest. */
export const DEADLINE = '2126-01-01T00:00:00Z';
/** When the replica that drains failed: two days before the test. */
export const FAILED_AT = formatTime(Date.now() - 2 * 24 * 3_600_000);

interface Sample extends KubeObject {
  spec?: object;
  status?: object;
}

/** A condition as the controller writes it. */
export const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

/** A namespace. */
export async function makeNamespace(kube: Kube, name: string): Promise<void> {
  await kube.create(KINDS.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** A ConnectorInstance with the status that a controller would write. */
export async function makeInstance(
  kube: Kube,
  at: { namespace: string; name: string; tenant: string; type?: string; version?: string; replicas?: number },
  status: object,
): Promise<void> {
  const object: Sample = {
    apiVersion: API_VERSION,
    kind: 'ConnectorInstance',
    metadata: { namespace: at.namespace, name: at.name },
    spec: {
      connector: { type: at.type ?? 'demo', version: at.version ?? '1.0.0' },
      tenantId: at.tenant,
      replicas: at.replicas ?? 2,
    },
  };
  await kube.create(KINDS.connectorInstance, object);
  await setStatus(kube, 'connectorInstance', at, { observedGeneration: 1, versionId: VERSION_ID, ...status });
}

/** A ConnectorReplica of an instance; `old` runs another version than the instance's present one. */
export async function makeReplica(
  kube: Kube,
  at: { namespace: string; name: string; instance: string; old?: boolean; drained?: boolean },
  status: object,
): Promise<void> {
  const object: Sample = {
    apiVersion: API_VERSION,
    kind: 'ConnectorReplica',
    metadata: { namespace: at.namespace, name: at.name },
    spec: {
      instanceRef: { name: at.instance },
      versionId: at.old ? OLD_VERSION_ID : VERSION_ID,
      capacity: 32,
      endpoint: `https://${at.name}.${at.instance}.${at.namespace}.svc:8443/aip/v1/messages`,
      peerDid: DID,
      desiredState: at.drained ? 'Drained' : 'Ready',
    },
  };
  await kube.create(KINDS.connectorReplica, object);
  await setStatus(kube, 'connectorReplica', at, status);
}

/** Writes a status as a controller would. */
export async function setStatus(
  kube: Kube,
  kind: 'connectorInstance' | 'connectorReplica',
  { namespace, name }: { namespace: string; name: string },
  status: object,
): Promise<void> {
  const { apiVersion, kind: word } = KINDS[kind];
  const object: Sample = { apiVersion, kind: word, metadata: { namespace, name }, status };
  await kube.apply(KINDS[kind], object, { status: true });
}

/**
 * Four instances in two namespaces: one ready, one in a rollout that does not come forward, one refused, one that no controller has seen.
 */
export async function sampleFleet(kube: Kube): Promise<void> {
  for (const name of ['acme', 'globex']) await makeNamespace(kube, name);
  const acme = { namespace: 'acme', tenant: 'acme' };
  await makeInstance(
    kube,
    { ...acme, name: 'support', type: 'chatwoot', version: '1.4.0' },
    {
      readyReplicas: 2,
      replicas: 2,
      instanceId: 'cinst_acme.support.00000000',
      manifestDigest: `sha256:${'a'.repeat(64)}`,
      capabilities: 12,
      configRevision: 3,
      conditions: [
        condition('Admitted', 'True', 'VersionAdmitted', 'version 1.4.0'),
        condition('Ready', 'True', 'ReplicasReady', '2 of 2 replicas ready'),
      ],
    },
  );
  for (const ordinal of [0, 1])
    await makeReplica(
      kube,
      { namespace: 'acme', name: `support-3f2a1c-${ordinal}`, instance: 'support' },
      {
        state: 'Ready',
        podName: `support-3f2a1c-${ordinal}`,
        conditions: [condition('Ready', 'True', 'LeaseHeld')],
      },
    );
  await makeInstance(
    kube,
    { ...acme, name: 'crm-sync', type: 'twenty', version: '2.0.0' },
    {
      readyReplicas: 1,
      drainingReplicas: 1,
      versions: [
        {
          versionId: VERSION_ID,
          version: '2.0.0',
          replicas: 1,
          readyReplicas: 0,
          drainingReplicas: 0,
          pinnedActions: 0,
        },
        {
          ...{ versionId: OLD_VERSION_ID, version: '1.9.0', replicas: 1, readyReplicas: 0, drainingReplicas: 1 },
          ...{ pinnedActions: 3, removedBy: DEADLINE },
        },
      ],
      conditions: [
        condition('Admitted', 'True', 'VersionAdmitted'),
        condition('Stalled', 'True', 'ProgressDeadlineExceeded', STALLED_MESSAGE),
        condition('Ready', 'False', 'ProgressDeadlineExceeded', STALLED_MESSAGE),
      ],
    },
  );
  await makeReplica(
    kube,
    { namespace: 'acme', name: 'crm-sync-aaaaaa-0', instance: 'crm-sync', old: true, drained: true },
    {
      state: 'Draining',
      podName: 'crm-sync-aaaaaa-0',
      version: '1.9.0',
      drain: { pinnedActions: 3, observedTime: '2026-01-01T00:00:00Z', deadline: DEADLINE },
      circuit: 'Open',
      lastFailure: {
        reason: 'Unreached',
        message: 'no host at https://crm-sync-aaaaaa-0.test took act_1; nothing of it began',
        time: FAILED_AT,
      },
    },
  );
  await makeReplica(
    kube,
    { namespace: 'acme', name: 'crm-sync-bbbbbb-0', instance: 'crm-sync' },
    {
      state: 'Offline',
      podName: 'crm-sync-bbbbbb-0',
      conditions: [condition('Ready', 'False', 'ImagePullBackOff', 'the image can not be pulled: not found')],
    },
  );
  await makeInstance(
    kube,
    { namespace: 'globex', name: 'mailer', tenant: 'acme', replicas: 3 },
    {
      conditions: [
        condition(
          'Admitted',
          'False',
          'TenantNotAllowed',
          'the namespace globex may not claim the tenant acme; annotate it with fleet.aip.dev/tenants',
        ),
        condition('Ready', 'False', 'TenantNotAllowed', 'it is not admitted'),
      ],
    },
  );
  await makeInstance(kube, { namespace: 'globex', name: 'new-one', tenant: 'globex', replicas: 1 }, {});
}

/** What the stalled instance of the sample says. */
export const STALLED_MESSAGE =
  'version 2.0.0 has 0 ready replicas after 10m; the old replicas go on serving. The Pod crm-sync-bbbbbb-0 says: the image can not be pulled';
