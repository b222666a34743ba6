import type { Pool } from '@aip/runtime/internal/postgres';
import type { Manifest } from '@aip/runtime/internal/protocol';
import { canonicalJson, digestOf } from '@aip/runtime/internal/signing';

// Another instance whose present version has one of the capabilities.
const OTHER_USER = `SELECT i.id FROM registry.instances i
  JOIN registry.version_capabilities c ON c.version_id = i.version_id
  WHERE c.capability_id = ANY($1) AND i.id <> $2 LIMIT 1`;

// The definition that a laptop's only user of a capability has now.
const REDEFINE = `UPDATE registry.capabilities
  SET record = $2, canonical_bytes = $3, search_text = $4, contract_digest = $5, schema_digest = $6
  WHERE id = $1 AND contract_digest <> $5`;

/**
 * Takes over changed contracts while nothing else depends on them: a rule of `aip dev` alone, on a cluster a contract never changes. Gives the
 * capabilities that were redefined; none when another instance has one of them.
 */
export async function redefineCapabilities(pool: Pool, instanceId: string, manifest: Manifest): Promise<string[]> {
  const capabilities = manifest.capabilities ?? [];
  return pool.tx(async (client) => {
    const ids = capabilities.map(({ id }) => id);
    const { rows: users } = await client.query(OTHER_USER, [ids, instanceId]);
    if (users.length > 0) return [];
    const redefined: string[] = [];
    for (const capability of capabilities) {
      const { rowCount } = await client.query(REDEFINE, [
        capability.id,
        JSON.stringify(capability),
        Buffer.byteLength(canonicalJson(capability)),
        `${capability.id} ${capability.name} ${capability.description ?? ''}`.toLowerCase(),
        digestOf(capability),
        digestOf({ input: capability.input_schema, output: capability.output_schema ?? null }),
      ]);
      if (rowCount) redefined.push(capability.id);
    }
    return redefined;
  });
}

/** What is reported of a capability whose changed contract was taken over. */
export function takenOver(capabilityId: string): string {
  return `took over the changed contract of ${capabilityId}: nothing else depends on it here; on a cluster this is a conflict`;
}
