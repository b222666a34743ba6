import * as Flags from '@oclif/core/flags';
import { AipCommand, gatewayFlags, streamFlags } from '../../command.js';
import { durationFlag, timeLeft } from '../../duration.js';

export default class EventsFollow extends AipCommand {
  static override summary = 'Show events as they come, until Ctrl-C.';
  static override description =
    'Begins now; --since begins earlier, --cursor behind an event that was shown. A broken stream is resumed where it was.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --kind aip.approval.requested',
    '<%= config.bin %> <%= command.id %> --since 10m --json | jq .event.kind',
  ];
  static override flags = {
    ...streamFlags,
    ...gatewayFlags,
    kind: Flags.string({
      multiple: true,
      description: 'Only events of this kind; may be repeated.',
      helpValue: 'KIND',
    }),
    since: durationFlag({ description: 'Begin with the events of this time.' }),
    cursor: Flags.string({ description: 'Begin behind this cursor.', helpValue: 'CURSOR', exclusive: ['since'] }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(EventsFollow);
    const { followEvents } = await import('@aip/runtime/internal/client');
    const { interruptible } = await import('../../interrupt.js');
    const { EXIT } = await import('../../client/errors.js');
    const { eventLine } = await import('../../ui/event-line.js');
    const json = await this.streamsJson(flags);
    const { gateway } = await this.connect(flags);
    const { progress } = await import('../../progress/progress.js');
    progress.pause();
    const from = flags.cursor === undefined ? Date.now() - (flags.since ?? 0) : undefined;
    await interruptible(async (signal) => {
      for await (const item of followEvents(gateway, { kinds: flags.kind, cursor: flags.cursor, signal })) {
        if (item.kind === 'reconnecting') {
          if (json) this.printJson({ reconnecting: { after_ms: item.afterMs, reason: item.reason } });
          else this.logToStderr(`connection lost (${item.reason}); again in ${timeLeft(item.afterMs)}`);
          continue;
        }
        if (from !== undefined && Date.parse(item.event.occurred_at) < from) continue;
        if (json) this.printJson({ event: item.event });
        else this.log(eventLine(item.event, process.stdout.columns));
      }
    });
    process.exitCode = EXIT.interrupted;
  }
}
