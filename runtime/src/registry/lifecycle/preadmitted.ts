import type { Queryable } from '../../postgres/pool.js';
import { parseJson } from '../../protocol/json.js';
import type { Manifest } from '../../protocol/types.js';
import { type Attestation, attestationProblem, schemaBundleDigest } from '../attestation.js';
import type { Replica } from '../replicas.js';
import type { Preadmitted } from './registration.js';

// The version and instance that a replica was provisioned for.
const READ = `
SELECT v.type_id AS version_type, v.status, v.manifest_digest, v.artifact_digest, v.capability_count,
  v.attestation::text AS attestation, t.owner, i.type_id AS instance_type, i.tenant_id, i.config_revision, i.secret_provider_ref, i.enabled
FROM registry.versions v JOIN registry.types t ON t.id = v.type_id, registry.instances i
WHERE v.id = $1 AND i.id = $2`;

// Apart: it has up to 4 MiB.
const READ_MANIFEST = 'SELECT manifest::text AS manifest FROM registry.versions WHERE id = $1';

/** Versions whose facts are remembered. */
const MAX_KNOWN = 1024;

interface Row {
  version_type: string;
  status: string;
  manifest_digest: string;
  artifact_digest: string;
  capability_count: number;
  attestation: string;
  owner: string;
  instance_type: string;
  tenant_id: string;
  config_revision: number;
  secret_provider_ref: string;
  enabled: boolean;
}

/** What is read from the manifest of a version, which never changes. */
interface ManifestFacts {
  readonly agent: Manifest['agent'];
  readonly schemaBundle: string;
}

/** Reads what a register proposal of a replica is held against; the manifest of each version once a process. Throws StorageUnavailable. */
export function preadmittedReader(): (db: Queryable, replica: Replica) => Promise<Preadmitted | undefined> {
  const known = new Map<string, ManifestFacts>();
  const factsOf = async (db: Queryable, versionId: string, manifestDigest: string): Promise<ManifestFacts> => {
    const key = `${versionId} ${manifestDigest}`;
    const before = known.get(key);
    if (before) return before;
    const { rows } = await db.query<{ manifest: string }>({ text: READ_MANIFEST, values: [versionId] });
    const manifest = parseJson((rows[0] as { manifest: string }).manifest) as Manifest;
    const facts = { agent: manifest.agent, schemaBundle: schemaBundleDigest(manifest) };
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value as string);
    known.set(key, facts);
    return facts;
  };
  return async (db, replica) => {
    const { rows } = await db.query<Row>({
      name: 'registry.preadmitted',
      text: READ,
      values: [replica.versionId, replica.instanceId],
    });
    const row = rows[0];
    return row && preadmitted(replica, row, await factsOf(db, replica.versionId, row.manifest_digest));
  };
}

function preadmitted(replica: Replica, row: Row, { agent, schemaBundle }: ManifestFacts): Preadmitted {
  const { artifact_digest: artifactDigest, owner } = row;
  return {
    replica,
    version: {
      id: replica.versionId,
      typeId: row.version_type,
      status: row.status,
      manifestDigest: row.manifest_digest,
      artifactDigest,
      capabilityCount: row.capability_count,
      agent,
      attestationProblem: attestationProblem(parseJson(row.attestation) as Attestation, {
        schemaBundle,
        artifactDigest,
        owner,
      }),
    },
    instance: {
      id: replica.instanceId,
      typeId: row.instance_type,
      tenantId: row.tenant_id,
      configRevision: row.config_revision,
      secretProviderRef: row.secret_provider_ref,
      enabled: row.enabled,
    },
  };
}
