import { defaultDataDir } from '@aip/controller/local/data-dir.js';
import { type FleetStatusRow, fleetStatus, openReadOnly } from '@aip/controller/local/fleet-status.js';
import { readDev } from './client/connection.js';
import { CliError, EXIT, UsageError } from './client/errors.js';

/** The registry's database does not answer. */
class RegistryUnreachable extends CliError {
  readonly code = 'cli.registry_unreachable';
  constructor(cause: unknown) {
    super(
      `The registry's database does not answer: ${cause instanceof Error ? cause.message : String(cause)}.`,
      EXIT.unreachable,
      'Is `aip dev` running?',
    );
    this.cause = cause;
  }
}

/** Reads every replica from the registry; one row for an instance that has none. Throws UsageError, RegistryUnreachable. */
export async function readFleetStatus(
  flags: { data?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<FleetStatusRow[]> {
  const url =
    env.AIP_REGISTRY_URL ?? (await readDev(flags.data ?? env.AIP_DEV_DATA ?? defaultDataDir(env)))?.database_url;
  if (url === undefined)
    throw new UsageError(
      'No `aip dev` has left its address.',
      'Start one with `aip dev`, or name the database with AIP_REGISTRY_URL.',
    );
  const pool = openReadOnly(url);
  try {
    return await fleetStatus(pool);
  } catch (error) {
    throw new RegistryUnreachable(error);
  } finally {
    await pool.close();
  }
}
