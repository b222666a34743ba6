import type { Pool } from '#runtime/postgres/pool.js';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { digestOf } from '#runtime/protocol/digest.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Manifest } from '#runtime/protocol/types.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import { probeCapability } from '../../support/external-host.ts';

/** The data set of the registry bench: 100 tenants, each with 100 instances that bind the same 10 capabilities. */
export const SIZES = {
  tenants: 100,
  versions: 1000,
  capabilities: 1000,
  perVersion: 100,
  instances: 10_000,
  perTenantCapabilities: 10,
  signers: 1000,
} as const;

export const tenantOf = (n: number): string => `tenant-${n}`;
export const capabilityOf = (n: number): string => `cap:probe:c${n}`;
export const replicaOf = (n: number): string => `crepl_${n}`;

// Type n, version n (with the manifest n modulo 100) and what that implements.
const VERSIONS = `
WITH made AS (INSERT INTO registry.types SELECT 'ctype_' || n, 'type ' || n, 'us', true FROM generate_series(0, $1 - 1) n)
INSERT INTO registry.versions SELECT 'cver_' || n, 'ctype_' || n, '1.0.0', 'active', m.manifest, m.digest, 'sha256:' || lpad(to_hex(n), 64, '0'),
  m.attestation, '{}', 100, 0
FROM generate_series(0, $1 - 1) n
JOIN unnest($2::json[], $3::text[], $4::json[]) WITH ORDINALITY AS m(manifest, digest, attestation, at) ON m.at = n % 100 + 1`;

const CAPABILITIES = `
INSERT INTO registry.capabilities SELECT * FROM unnest($1::text[], $2::json[], $3::int[], $4::text[], $5::text[], $6::text[])`;

const REST = [
  `INSERT INTO registry.version_capabilities SELECT 'cver_' || v, 'cap:probe:c' || (v % 100 * 10 + k) % 1000
   FROM generate_series(0, 999) v, generate_series(0, 99) k`,
  `INSERT INTO registry.version_profiles SELECT 'cver_' || v, 'aip.native.http.v1' FROM generate_series(0, 999) v`,
  `INSERT INTO registry.instances SELECT 'cinst_' || n, 'ctype_' || n % 1000, 'cver_' || n % 1000, 'tenant-' || n % 100, 1, 'none', true
   FROM generate_series(0, 9999) n`,
  `INSERT INTO registry.policies VALUES ('quota:bench', 1, true, '{"circuit_failure_threshold":5,"circuit_open_ms":30000}')`,
  `INSERT INTO registry.bindings SELECT 'tenant-' || n % 100, 'cap:probe:c' || n % 100 * 10 + k, 'cinst_' || n, 1, 1, NULL, 'quota:bench', true
   FROM generate_series(0, 9999) n, generate_series(0, 9) k`,
  'UPDATE registry.catalog SET revision = revision + 1',
];

const REPLICAS = `
INSERT INTO registry.replicas (id, instance_id, version_id, endpoint, peer_principal_id, peer_principal_kind, peer_did, trust_domain,
  transport_profile, region, zone, capacity_class, status, lease_expires_at, capacity, health_revision, config_revision)
SELECT 'crepl_' || n, 'cinst_' || n, 'cver_' || n % 1000, 'https://h' || n || '.test/aip/v1/messages', 'agent:probe', 'agent',
  coalesce(($1::text[])[n + 1], 'did:key:z' || n), 'test.local', 'aip.native.http.v1', 'global', 'default', 'standard', 'ready', $2, 100, 1, 1
FROM generate_series(0, 9999) n`;

/** Writes the whole data set with statements on whole sets, and returns the keys of the first replicas' hosts. */
export async function seed(database: Pool): Promise<SigningKey[]> {
  const pool = {
    query: (text: string, values: readonly unknown[] = []) => database.query({ text, values, timeoutMs: 600_000 }),
  };
  const capabilities = Array.from({ length: SIZES.capabilities }, (_, n) => probeCapability(`c${n}`));
  const canonical = capabilities.map((capability) => canonicalJson(capability));
  await pool.query(CAPABILITIES, [
    capabilities.map(({ id }) => id),
    canonical,
    canonical.map((text) => Buffer.byteLength(text)),
    capabilities.map(({ id, name }) => `${id} ${name} `),
    capabilities.map((capability) => digestOf(capability)),
    capabilities.map(({ input_schema }) => digestOf({ input: input_schema, output: null })),
  ]);
  const manifests = Array.from({ length: 100 }, (_, group): Manifest => {
    const own = Array.from({ length: SIZES.perVersion }, (_each, k) => capabilities[(group * 10 + k) % 1000]);
    return {
      manifest_version: 'aip-manifest/v1',
      agent: { id: 'agent:probe', kind: 'agent' },
      capabilities: own as typeof capabilities,
      profiles: ['aip.native.http.v1'],
    };
  });
  const artifact = `sha256:${'ab'.repeat(32)}`;
  await pool.query(VERSIONS, [
    SIZES.versions,
    manifests.map((manifest) => JSON.stringify(manifest)),
    manifests.map((manifest) => digestOf(manifest)),
    manifests.map((manifest) =>
      JSON.stringify(operatorAttestation(manifest, artifact, { signerIdentity: 'us', owner: 'us' })),
    ),
  ]);
  for (const text of REST) await pool.query(text);
  const keys = Array.from({ length: SIZES.signers }, () => signingKeyFromSeed(newSeedHex()));
  await pool.query(REPLICAS, [keys.map(({ did }) => did), Date.now() + 3_600_000]);
  await pool.query('ANALYZE');
  return keys;
}
