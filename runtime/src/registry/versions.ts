import type { Pool, Queryable } from '../postgres/pool.js';
import { canonicalJson } from '../protocol/canonical.js';
import type { Clock } from '../protocol/clock.js';
import { digestOf } from '../protocol/digest.js';
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_CAPABILITIES } from '../protocol/limits.js';
import type { Capability, Manifest } from '../protocol/types.js';
import { type Attestation, attestationProblem, schemaBundleDigest } from './attestation.js';
import { raiseCatalogRevision } from './catalog-revision.js';
import { checkCapabilitySchemas } from './contracts/admissible.js';
import { CapabilityConflict, RegistryConflict, RegistryInputInvalid } from './errors.js';

export type VersionStatus = 'admitted' | 'active' | 'revoked';

/** Canonical bytes of one capability definition at most (docs/protocol/registry.md#capability-definitions). */
const MAX_DEFINITION_BYTES = 262_144;

// An instance whose present version has a capability; those that are in use first.
const CAPABILITY_USER = `SELECT i.id FROM registry.instances i
  JOIN registry.version_capabilities c ON c.version_id = i.version_id
  WHERE c.capability_id = $1 ORDER BY i.enabled DESC, i.id LIMIT 1`;

/** An immutable version of a connector (docs/protocol/registry.md#types-and-versions): its manifest bound to the host principal, its artifact and what vouches for it. */
export interface VersionAdmission {
  readonly id: string;
  readonly connectorTypeId: string;
  readonly label: string;
  readonly status: 'admitted' | 'active';
  readonly manifest: Manifest;
  readonly manifestDigest: string;
  readonly artifactDigest: string;
  readonly attestation: Attestation;
  readonly implementationSupport: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
}

/**
 * Admits a version with the definitions of its capabilities. The identical version again changes nothing. Throws RegistryInputInvalid (bounds,
 * digests, attestation, unknown or disabled type), CapabilitySchemaInvalid, RegistryConflict (the id stands for something else), CapabilityConflict.
 */
export async function admitVersion(pool: Pool, clock: Clock, version: VersionAdmission): Promise<void> {
  checkManifest(version);
  await checkCapabilitySchemas(version.manifest.capabilities ?? []);
  const schemaBundle = schemaBundleDigest(version.manifest);
  await pool.tx(async (client) => {
    const { rows: types } = await client.query<{ owner: string; enabled: boolean }>(
      'SELECT owner, enabled FROM registry.types WHERE id = $1',
      [version.connectorTypeId],
    );
    const type = types[0];
    if (!type?.enabled) throw new RegistryInputInvalid(`no enabled connector type ${version.connectorTypeId}`);
    const problem = attestationProblem(version.attestation, { ...version, schemaBundle, owner: type.owner });
    if (problem) throw new RegistryInputInvalid(problem);
    const made = await client.query(
      `INSERT INTO registry.versions (id, type_id, label, status, manifest, manifest_digest, artifact_digest, attestation,
         implementation_support, capability_count, admitted_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING`,
      [
        version.id,
        version.connectorTypeId,
        version.label,
        version.status,
        JSON.stringify(version.manifest),
        version.manifestDigest,
        version.artifactDigest,
        JSON.stringify(version.attestation),
        JSON.stringify(version.implementationSupport),
        version.manifest.capabilities?.length ?? 0,
        clock(),
      ],
    );
    if (made.rowCount === 0) return sameVersion(client, version);
    for (const capability of version.manifest.capabilities ?? [])
      await defineCapability(client, version.id, capability);
    for (const profile of new Set(version.manifest.profiles))
      await client.query('INSERT INTO registry.version_profiles (version_id, profile) VALUES ($1, $2)', [
        version.id,
        profile,
      ]);
    await raiseCatalogRevision(client, clock());
  });
}

/** Moves a version between admitted and active, or revokes it permanently. Throws RegistryConflict for a revoked one, RegistryInputInvalid. */
export async function setVersionStatus(pool: Pool, clock: Clock, id: string, status: VersionStatus): Promise<void> {
  await pool.tx(async (client) => {
    const { rows } = await client.query<{ status: VersionStatus }>(
      'SELECT status FROM registry.versions WHERE id = $1 FOR UPDATE',
      [id],
    );
    const now = rows[0]?.status;
    if (now === undefined) throw new RegistryInputInvalid(`no version ${id}`);
    if (now === status) return;
    if (now === 'revoked')
      throw new RegistryConflict(`the version ${id} is revoked; a revoked version never comes back`);
    await client.query('UPDATE registry.versions SET status = $2 WHERE id = $1', [id, status]);
    await raiseCatalogRevision(client, clock());
  });
}

function checkManifest({ manifest, manifestDigest, artifactDigest }: VersionAdmission): void {
  const capabilities = manifest.capabilities ?? [];
  if (capabilities.length > MAX_MANIFEST_CAPABILITIES)
    throw new RegistryInputInvalid(`a manifest holds at most ${MAX_MANIFEST_CAPABILITIES} capabilities`);
  if (new Set(capabilities.map(({ id }) => id)).size !== capabilities.length)
    throw new RegistryInputInvalid('the manifest names a capability twice');
  if (Buffer.byteLength(canonicalJson(manifest)) > MAX_MANIFEST_BYTES)
    throw new RegistryInputInvalid(`a manifest has at most ${MAX_MANIFEST_BYTES} canonical bytes`);
  if (digestOf(manifest) !== manifestDigest)
    throw new RegistryInputInvalid('the manifest digest does not match the manifest');
  if (!/^sha256:[0-9a-f]{64}$/.test(artifactDigest))
    throw new RegistryInputInvalid('the artifact digest must be sha256: and 64 hex digits');
}

async function sameVersion(client: Queryable, version: VersionAdmission): Promise<void> {
  const { rows } = await client.query<{
    type_id: string;
    label: string;
    status: VersionStatus;
    manifest_digest: string;
    artifact_digest: string;
  }>('SELECT type_id, label, status, manifest_digest, artifact_digest FROM registry.versions WHERE id = $1', [
    version.id,
  ]);
  const stored = rows[0];
  const same =
    stored?.type_id === version.connectorTypeId &&
    stored.label === version.label &&
    stored.manifest_digest === version.manifestDigest &&
    stored.artifact_digest === version.artifactDigest;
  if (!same)
    throw new RegistryConflict(`the version ${version.id} is stored with other contents; versions never change`);
  if (stored.status !== version.status)
    throw new RegistryConflict(
      `the version ${version.id} is ${stored.status}; admitting it again does not change that`,
    );
}

async function defineCapability(client: Queryable, versionId: string, capability: Capability): Promise<void> {
  const canonical = canonicalJson(capability);
  if (Buffer.byteLength(canonical) > MAX_DEFINITION_BYTES)
    throw new RegistryInputInvalid(
      `the definition of ${capability.id} has more than ${MAX_DEFINITION_BYTES} canonical bytes`,
    );
  const contractDigest = digestOf(capability);
  const search = `${capability.id} ${capability.name} ${capability.description ?? ''}`.toLowerCase();
  await client.query(
    `INSERT INTO registry.capabilities (id, record, canonical_bytes, search_text, contract_digest, schema_digest)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
    [
      capability.id,
      JSON.stringify(capability),
      Buffer.byteLength(canonical),
      search,
      contractDigest,
      digestOf({ input: capability.input_schema, output: capability.output_schema ?? null }),
    ],
  );
  const { rows } = await client.query<{ contract_digest: string }>(
    'SELECT contract_digest FROM registry.capabilities WHERE id = $1',
    [capability.id],
  );
  if (rows[0]?.contract_digest !== contractDigest) {
    const { rows: users } = await client.query<{ id: string }>(CAPABILITY_USER, [capability.id]);
    throw new CapabilityConflict(capability.id, users[0]?.id);
  }
  await client.query('INSERT INTO registry.version_capabilities (version_id, capability_id) VALUES ($1, $2)', [
    versionId,
    capability.id,
  ]);
}
