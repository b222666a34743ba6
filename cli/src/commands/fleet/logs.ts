import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { AipCommand, fleetFlags, streamFlags } from '../../command.js';

export default class FleetLogs extends AipCommand {
  static override summary = 'Show what the hosts of an instance or a replica log.';
  static override description =
    "Under `aip dev` also gateway, control-plane and postgres. On a cluster the logs of the hosts' Pods are read with your own rights.";
  static override examples = ['<%= config.bin %> <%= command.id %> inventory -f --level warn'];
  static override args = { name: Args.string({ required: true, description: 'Name of an instance or a replica.' }) };
  static override flags = {
    ...streamFlags,
    ...fleetFlags,
    follow: Flags.boolean({ char: 'f', description: 'Keep showing what comes, until Ctrl-C.' }),
    tail: Flags.integer({ min: 0, default: 20, description: "Lines of each log's end.", helpValue: 'N' }),
    level: Flags.option({
      options: ['trace', 'debug', 'info', 'warn', 'error'] as const,
      default: 'info',
      description: 'Least level shown.',
    })(),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FleetLogs);
    const { openFleetSource } = await import('../../fleet/fleet-source.js');
    const { UsageError } = await import('../../client/errors.js');
    const source = await openFleetSource(flags, process.env);
    const show = { level: flags.level, json: await this.streamsJson(flags), tail: flags.tail };
    if (source.kind === 'cluster') {
      const { clusterLogs } = await import('../../logs/cluster-logs.js');
      const { kube } = source.cluster;
      if (flags.follow)
        throw new UsageError(
          'Logs of a cluster are not followed here.',
          `Use \`kubectl logs -f -l fleet.aip.dev/instance=${args.name}\`.`,
        );
      const lines = await clusterLogs(kube, args.name, flags.namespace, show).finally(() => kube.close());
      for (const line of lines) this.log(line);
      return;
    }
    if (source.dataDir === undefined) throw new UsageError('A registry has no logs.', 'Name an `aip dev` with --data.');
    const { dataPaths } = await import('@aip/controller/internal/data-folder');
    const { showLogs } = await import('../../logs/dev-logs.js');
    const { interruptible } = await import('../../interrupt.js');
    const name =
      flags.namespace === undefined || args.name.includes('/') ? args.name : `${flags.namespace}/${args.name}`;
    const request = { ...show, name, follow: flags.follow };
    await interruptible((signal) =>
      showLogs(dataPaths(source.dataDir ?? '').logs, request, (line) => this.log(line), signal),
    );
    if (flags.follow) process.exitCode = 130;
  }
}
