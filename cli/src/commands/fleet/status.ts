import * as Flags from '@oclif/core/flags';
import { EXIT } from '../../client/errors.js';
import { AipCommand, fleetFlags, outputFlags } from '../../command.js';
import { durationFlag, shortDuration } from '../../duration.js';
import type { FleetSource } from '../../fleet/fleet-source.js';
import type { WaitedFleet } from '../../ui/fleet/wait-for-fleet.js';

/** How long --wait waits where nothing is said, in ms. */
const WAIT_MS = 300_000;

export default class FleetStatus extends AipCommand {
  static override summary = 'Show instances and replicas: state, version, and what is wrong.';
  static override description =
    `On a cluster: the ConnectorInstances and ConnectorReplicas that your kubeconfig lets you list. Else the running \`aip dev\`, or the registry in the database that AIP_REGISTRY_URL names, without writing to it.

Exit code with --exit-code: 1 when an instance is stalled or refused, or, under \`aip dev\`, not ready. With --wait: 124 when an instance is not ready in time.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --watch',
    '<%= config.bin %> <%= command.id %> --context prod -n acme',
    '<%= config.bin %> <%= command.id %> --wait --wait-timeout 3m',
    '<%= config.bin %> <%= command.id %> --exit-code --json',
  ];
  static override flags = {
    ...outputFlags,
    ...fleetFlags,
    watch: Flags.boolean({ char: 'w', default: false, description: 'Keep showing what changes, until Ctrl-C.' }),
    wait: Flags.boolean({
      default: false,
      exclusive: ['watch'],
      description: 'Wait until every instance is ready, saying which are not.',
    }),
    'wait-timeout': durationFlag({
      dependsOn: ['wait'],
      description: 'Give up waiting after this time (exit code 124; default 5m).',
    }),
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
    const waited = flags.wait ? await this.#waited(source, flags) : undefined;
    if (waited?.outcome === 'interrupted') {
      process.exitCode = EXIT.interrupted;
      return;
    }
    const snapshot = waited?.snapshot ?? (await readFleet(source, flags.namespace));
    await this.answer(flags, {
      document: snapshot.document,
      names: () => [...snapshot.items.keys()],
      text: ({ width }) => snapshot.table(width, Date.now()),
    });
    if (waited?.outcome === 'late') {
      this.logToStderr(
        `Not ready after ${shortDuration(flags['wait-timeout'] ?? WAIT_MS)}: ${snapshot.waiting.join(', ')}`,
      );
      process.exitCode = EXIT.gaveUp;
      return;
    }
    if (flags['exit-code'] && snapshot.broken.length > 0) process.exitCode = 1;
  }

  async #waited(
    source: FleetSource,
    flags: { namespace?: string | undefined; 'wait-timeout'?: number | undefined },
  ): Promise<WaitedFleet> {
    const { waitForFleet } = await import('../../ui/fleet/wait-for-fleet.js');
    return waitForFleet(source, flags.namespace, flags['wait-timeout'] ?? WAIT_MS);
  }
}
