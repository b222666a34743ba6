import { randomBytes, randomUUID } from 'node:crypto';
import { NamedError } from '@aip/runtime/internal/protocol';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { keyOf } from '../../api/metadata.js';
import { configurationDigest } from '../../api/names.js';
import type { Resources } from '../../api/resources.js';
import type { Secret } from '../../api/secret.js';
import { readJson, writePrivate } from '../../fleet/files.js';
import type { Launch } from '../../fleet/launch.js';

/** A replica that was given an identity. */
export interface ReplicaRecord {
  namespace: string;
  name: string;
  /** Key of its instance. */
  instance: string;
  replicaId: string;
  ordinal: number;
  template: string;
  managed: boolean;
  versionId: string;
  endpoint: string;
  did: string;
  capacity: number;
  /** Ms since the epoch. */
  createdAt: number;
  retiring: boolean;
  /** It takes no work and is kept: somebody drained it. */
  cordoned?: boolean;
  /** Managed only. */
  port?: number;
  launch?: Launch;
  /** Path of the user's own connector module. */
  module?: string | undefined;
}

/** An instance with what has to outlive its document. */
export interface InstanceRecord {
  uid: string;
  resource: ConnectorInstance;
  deleted: boolean;
  configRevision: number;
  configDigest: string;
  databasePassword: string;
}

/** Everything that `aip dev` remembers between runs. */
export interface LocalState {
  instances: Record<string, InstanceRecord>;
  replicas: Record<string, ReplicaRecord>;
  externals: Record<string, { uid: string; resource: ConnectorReplica }>;
  secrets: Record<string, Secret>;
}

/** The state of one data folder; changes are in memory at once and on disk after `save`. */
export interface Store {
  readonly state: LocalState;
  /** Makes `resources` the desired ones: what is not among them goes, unless `keepOthers`. Refuses an instance that cannot become the one of its name. */
  want(resources: Resources, keepOthers: boolean): void;
  save(): Promise<void>;
}

/** Opens the state file, or an empty state. */
export async function openStore(file: string): Promise<Store> {
  const state: LocalState = (await readJson<LocalState>(file)) ?? {
    instances: {},
    replicas: {},
    externals: {},
    secrets: {},
  };
  let saving = Promise.resolve();
  return {
    state,
    want: (resources, keepOthers) => want(state, resources, keepOthers),
    save: () => {
      // One write that failed must not fail the later ones.
      saving = saving.catch(() => undefined).then(() => writePrivate(file, JSON.stringify(state, null, 2)));
      return saving;
    },
  };
}

/** What can never change of an instance; on a cluster the API server refuses it. */
const IMMUTABLE: readonly [what: string, of: (resource: ConnectorInstance) => string][] = [
  ['tenant', ({ spec }) => spec.tenantId],
  ['connector type', ({ spec }) => spec.connector.type],
  ['hosting', ({ spec }) => spec.hosting],
];

/** Refuses an instance that has the name of one in this data folder, and cannot become it. */
function checkSame(before: ConnectorInstance, resource: ConnectorInstance): void {
  for (const [what, of] of IMMUTABLE)
    if (of(before) !== of(resource))
      throw new NamedError(
        `${keyOf(resource)} has the ${what} ${of(before)} in this data folder, and the ${what} of an instance cannot change to ${of(resource)}.\nGive the instance another name, take another folder with --data, or begin with an empty one with --fresh.`,
        { name: 'InstanceDiffers' },
      );
}

function want(state: LocalState, resources: Resources, keepOthers: boolean): void {
  for (const resource of resources.instances) {
    const before = state.instances[keyOf(resource)];
    if (before) checkSame(before.resource, resource);
  }
  const keys = new Set(resources.instances.map(keyOf));
  if (!keepOthers) {
    for (const [key, record] of Object.entries(state.instances)) if (!keys.has(key)) record.deleted = true;
    const replicas = new Set(resources.replicas.map(keyOf));
    for (const key of Object.keys(state.externals)) if (!replicas.has(key)) delete state.externals[key];
    state.secrets = {};
  }
  for (const resource of resources.secrets) state.secrets[keyOf(resource)] = resource;
  for (const resource of resources.instances) {
    const key = keyOf(resource);
    const digest = configurationDigest(resource);
    const before = state.instances[key];
    if (!before) {
      const databasePassword = randomBytes(18).toString('hex');
      state.instances[key] = {
        uid: resource.metadata.uid ?? randomUUID(),
        resource,
        deleted: false,
        configRevision: 1,
        configDigest: digest,
        databasePassword,
      };
    } else {
      before.resource = resource;
      before.deleted = false;
      if (before.configDigest !== digest) {
        before.configDigest = digest;
        before.configRevision += 1;
      }
    }
  }
  for (const resource of resources.replicas) {
    const key = keyOf(resource);
    const before = state.externals[key];
    const same =
      before?.resource.spec.endpoint === resource.spec.endpoint &&
      before?.resource.spec.peerDid === resource.spec.peerDid;
    const uid = resource.metadata.uid ?? (same ? before?.uid : undefined) ?? randomUUID();
    state.externals[key] = { uid, resource };
  }
}
