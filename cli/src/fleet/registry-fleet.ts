import { type FleetStatusRow, fleetStatus, openReadOnly } from '@aip/controller/internal/fleet-status';
import { CliError } from '../client/errors.js';

/** The registry's database does not answer. */
export class RegistryUnreachable extends CliError {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super('cli.registry_unreachable', `The registry's database does not answer: ${why}.`);
    this.cause = cause;
  }
}

/** Reads every replica from the registry; one row for an instance that has none. */
export interface RegistryReader {
  /** In one namespace or in all. Throws RegistryUnreachable. */
  read(namespace?: string): Promise<FleetStatusRow[]>;
  close(): Promise<void>;
}

/** Opens the registry's database without the means to write to it. */
export function openRegistry(url: string): RegistryReader {
  const pool = openReadOnly(url);
  return {
    read: async (namespace) => {
      try {
        const rows = await fleetStatus(pool);
        return namespace === undefined ? rows : rows.filter((row) => row.instance_id.startsWith(`cinst_${namespace}.`));
      } catch (error) {
        throw new RegistryUnreachable(error);
      }
    },
    close: () => pool.close(),
  };
}
