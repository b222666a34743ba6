import type { Queryable } from '../../postgres/pool.js';
import { parseJson } from '../../protocol/json.js';
import type { Manifest } from '../../protocol/types.js';
import { type Attestation, attestationProblem } from '../attestation.js';
import type { Replica } from '../replicas.js';
import type { Preadmitted } from './registration.js';

// The version and instance that a replica was provisioned for.
const READ = `
SELECT v.type_id AS version_type, v.status, v.manifest_digest, v.artifact_digest, v.capability_count, v.manifest::text AS manifest,
  v.attestation::text AS attestation, t.owner, i.type_id AS instance_type, i.tenant_id, i.config_revision, i.secret_provider_ref, i.enabled
FROM registry.versions v JOIN registry.types t ON t.id = v.type_id, registry.instances i
WHERE v.id = $1 AND i.id = $2`;

interface Row {
  version_type: string;
  status: string;
  manifest_digest: string;
  artifact_digest: string;
  capability_count: number;
  manifest: string;
  attestation: string;
  owner: string;
  instance_type: string;
  tenant_id: string;
  config_revision: number;
  secret_provider_ref: string;
  enabled: boolean;
}

/** Reads what a register proposal of the replica is held against. */
export async function readPreadmitted(db: Queryable, replica: Replica): Promise<Preadmitted | undefined> {
  const { rows } = await db.query<Row>({
    name: 'registry.preadmitted',
    text: READ,
    values: [replica.versionId, replica.instanceId],
  });
  const row = rows[0];
  if (!row) return undefined;
  const manifest = parseJson(row.manifest) as Manifest;
  return {
    replica,
    version: {
      id: replica.versionId,
      typeId: row.version_type,
      status: row.status,
      manifestDigest: row.manifest_digest,
      artifactDigest: row.artifact_digest,
      capabilityCount: row.capability_count,
      agent: manifest.agent,
      attestationProblem: attestationProblem(parseJson(row.attestation) as Attestation, {
        manifest,
        artifactDigest: row.artifact_digest,
        owner: row.owner,
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
