import { readFile } from 'node:fs/promises';
import type { Pool } from '@aip/runtime/postgres/pool.js';
import type { Clock } from '@aip/runtime/protocol/clock.js';
import { RegistryConflict, RegistryInputInvalid } from '@aip/runtime/registry/errors.js';
import { type AdmissionPolicy, putPolicy } from '@aip/runtime/registry/policies.js';
import type { Logger } from '@aip/runtime/transport/process/logger.js';

/** Puts the release's quota policies (a JSON array of them) into the registry; one that is refused is logged and stops nothing else. */
export async function loadQuotaPolicies(
  file: string,
  { pool, clock, log }: { pool: Pool; clock: Clock; log: Logger },
): Promise<void> {
  const policies = JSON.parse(await readFile(file, 'utf8')) as AdmissionPolicy[];
  for (const policy of policies) {
    try {
      await putPolicy(pool, clock, policy);
    } catch (error) {
      if (!(error instanceof RegistryConflict || error instanceof RegistryInputInvalid)) throw error;
      log.error({ policy: policy.ref, err: error }, 'a quota policy is refused; the stored one stays');
    }
  }
}
