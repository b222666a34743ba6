import { readFile } from 'node:fs/promises';
import type { Pool } from '@aip/runtime/internal/postgres';
import type { Logger } from '@aip/runtime/internal/program';
import type { Clock } from '@aip/runtime/internal/protocol';
import {
  type AdmissionPolicy,
  putPolicy,
  RegistryConflict,
  RegistryInputInvalid,
} from '@aip/runtime/internal/registry';

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
