import * as Flags from '@oclif/core/flags';
import { AipCommand, fleetFlags, outputFlags } from '../../command.js';

export default class FleetStatus extends AipCommand {
  static override summary = 'Show instances and replicas: state, version, and what is wrong.';
  static override description =
    `On a cluster: the ConnectorInstances and ConnectorReplicas that your kubeconfig lets you list. Else the running \`aip dev\`, or the registry in the database that AIP_REGISTRY_URL names, without writing to it.

Exit code with --exit-code: 1 when an instance is stalled or refused, or, under \`aip dev\`, not ready.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --watch',
    '<%= config.bin %> <%= command.id %> --context prod -n acme',
    '<%= config.bin %> <%= command.id %> --exit-code --json',
  ];
  static override flags = {
    ...outputFlags,
    ...fleetFlags,
    watch: Flags.boolean({ char: 'w', default: false, description: 'Keep showing what changes, until Ctrl-C.' }),
    'exit-code': Flags.boolean({ default: false, description: 'Exit with 1 when an instance needs a person.' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(FleetStatus);
    const { openFleetSource } = await import('../../fleet/fleet-source.js');
    const { readFleet, watchFleet } = await import('../../ui/fleet/watch-fleet.js');
    const source = await openFleetSource(flags, process.env);
    if (flags.watch) {
      const { interruptible } = await import('../../interrupt.js');
      const { openFleetView } = await import('../../ui/fleet/open.js');
      const title = source.kind === 'cluster' ? source.context.name : 'aip dev';
      const view = await openFleetView(title, await this.streamsJson(flags));
      await interruptible((signal) => watchFleet(source, flags.namespace, view, signal).finally(() => view.close()));
      process.exitCode = 130;
      return;
    }
    const snapshot = await readFleet(source, flags.namespace);
    await this.answer(flags, {
      document: snapshot.document,
      names: () => [...snapshot.items.keys()],
      text: ({ width }) => snapshot.table(width, Date.now()),
    });
    if (flags['exit-code'] && snapshot.broken.length > 0) process.exitCode = 1;
  }
}
