import { Flags } from '@oclif/core';
import { AipCommand, outputFlags } from '../../command.js';

export default class FleetStatus extends AipCommand {
  static override summary = 'Show instances and replicas with state, lease and load.';
  static override description =
    'Reads the registry of the running `aip dev`, or of the database that AIP_REGISTRY_URL names, without writing to it.';
  static override flags = {
    ...outputFlags,
    data: Flags.string({ description: 'Data folder of the `aip dev` to look at.', helpValue: 'DIR' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(FleetStatus);
    const { readFleetStatus } = await import('../../fleet-status.js');
    const rows = await readFleetStatus(flags, process.env);
    if (flags.json) return this.printJson({ replicas: rows });
    const { fleetTable } = await import('../../ui/fleet-table.js');
    this.log(fleetTable(rows, process.stdout.columns));
  }
}
