import type { Queryable } from '../../postgres/pool.js';
import { parseJson } from '../../protocol/json.js';
import type { Manifest } from '../../protocol/types.js';
import { type Attestation, attestationProblem, schemaBundleDigest } from '../attestation.js';
import { findReplica, type Replica } from '../replicas.js';

/** A replica that publishes, with the instance and version it belongs to. */
export interface IngressSender {
  readonly replica: Replica;
  readonly instance: { readonly id: string; readonly tenantId: string; readonly enabled: boolean };
  readonly version: {
    readonly id: string;
    readonly status: string;
    readonly manifestDigest: string;
    readonly channelIds: readonly string[];
    readonly capabilityIds: readonly string[];
    /** Whether the attestation is valid for the manifest. */
    readonly attested: boolean;
  };
}

// Instance and version of a publishing replica, without the documents.
const READ_STANDING = `
SELECT i.tenant_id, i.enabled, v.status, v.manifest_digest FROM registry.instances i, registry.versions v
WHERE i.id = $1 AND v.id = $2`;

// What never changes of a version, but for its status.
const READ_VERSION = `
SELECT v.manifest::text AS manifest, v.artifact_digest, v.attestation::text AS attestation, t.owner
FROM registry.versions v JOIN registry.types t ON t.id = v.type_id WHERE v.id = $1`;

type VersionFacts = Pick<IngressSender['version'], 'channelIds' | 'capabilityIds' | 'attested'>;

/** Looks publishing replicas up. The immutable part of versions is read once a process. */
export function ingressSenders(db: Queryable): (replicaId: string) => Promise<IngressSender | undefined> {
  const versions = new Map<string, VersionFacts>();
  const factsOf = async (versionId: string): Promise<VersionFacts | undefined> => {
    const known = versions.get(versionId);
    if (known) return known;
    const { rows } = await db.query<{ manifest: string; artifact_digest: string; attestation: string; owner: string }>(
      READ_VERSION,
      [versionId],
    );
    const row = rows[0];
    if (!row) return undefined;
    const manifest = parseJson(row.manifest) as Manifest;
    const facts = {
      channelIds: (manifest.channels ?? []).flatMap(channelId),
      capabilityIds: (manifest.capabilities ?? []).map(({ id }) => id),
      attested:
        attestationProblem(parseJson(row.attestation) as Attestation, {
          schemaBundle: schemaBundleDigest(manifest),
          artifactDigest: row.artifact_digest,
          owner: row.owner,
        }) === undefined,
    };
    versions.set(versionId, facts);
    return facts;
  };
  return async (replicaId) => {
    const replica = await findReplica(db, replicaId);
    if (!replica) return undefined;
    const [facts, standing] = await Promise.all([
      factsOf(replica.versionId),
      db.query<{ tenant_id: string; enabled: boolean; status: string; manifest_digest: string }>({
        name: 'registry.ingress.standing',
        text: READ_STANDING,
        values: [replica.instanceId, replica.versionId],
      }),
    ]);
    const row = standing.rows[0];
    if (!row || !facts) return undefined;
    return {
      replica,
      instance: { id: replica.instanceId, tenantId: row.tenant_id, enabled: row.enabled },
      version: { id: replica.versionId, status: row.status, manifestDigest: row.manifest_digest, ...facts },
    };
  };
}

/** A channel is a string, or an object with an id, else a channel_id. */
function channelId(channel: unknown): string[] {
  if (typeof channel === 'string') return [channel];
  const { id, channel_id } = (channel ?? {}) as { id?: unknown; channel_id?: unknown };
  const name = id ?? channel_id;
  return typeof name === 'string' ? [name] : [];
}
