import type { Pool } from '@aip/runtime/internal/postgres';
import type { Capability, Manifest } from '@aip/runtime/internal/protocol';
import { canonicalJson, digestOf } from '@aip/runtime/internal/signing';

// Other instances whose present version has one of the capabilities; those that are gone keep their row.
const OTHER_USERS = `SELECT DISTINCT i.id FROM registry.instances i
  JOIN registry.version_capabilities c ON c.version_id = i.version_id
  WHERE c.capability_id = ANY($1) AND i.id = ANY($2)`;

// The definition that a laptop's only user of a capability has now.
const REDEFINE = `UPDATE registry.capabilities
  SET record = $2, canonical_bytes = $3, search_text = $4, contract_digest = $5, schema_digest = $6
  WHERE id = $1 AND contract_digest <> $5`;

/**
 * Takes over changed contracts while nothing else depends on them: a rule of `aip dev` alone, on a cluster a contract never changes. `others` are the
 * wanted manifests of the other instances by id, undefined where one is not known: an instance that comes to the same contracts does not depend on
 * the former ones. Gives the capabilities that were redefined, none when all are as wanted by now; undefined
 * when another instance needs one of them as it is.
 */
export async function redefineCapabilities(
  pool: Pool,
  manifest: Manifest,
  others: ReadonlyMap<string, Manifest | undefined>,
): Promise<string[] | undefined> {
  const capabilities = manifest.capabilities ?? [];
  return pool.tx(async (client) => {
    const ids = capabilities.map(({ id }) => id);
    const { rows: users } = await client.query<{ id: string }>(OTHER_USERS, [ids, [...others.keys()]]);
    if (!users.every(({ id }) => agrees(others.get(id), capabilities))) return undefined;
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

/** Will an instance have each of the capabilities with the same contract, or not at all? */
function agrees(wanted: Manifest | undefined, capabilities: readonly Capability[]): boolean {
  if (!wanted) return false;
  const digests = new Map((wanted.capabilities ?? []).map((capability) => [capability.id, digestOf(capability)]));
  return capabilities.every((capability) => {
    const digest = digests.get(capability.id);
    return digest === undefined || digest === digestOf(capability);
  });
}

/** What is reported of a capability whose changed contract was taken over. */
export function takenOver(capabilityId: string): string {
  return `took over the changed contract of ${capabilityId}: nothing else depends on it here; on a cluster this is a conflict`;
}
