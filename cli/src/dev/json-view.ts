import type { DevInfo } from '@aip/controller/internal/data-folder';
import { shortDuration } from '../duration.js';
import { followJson } from '../ui/follow/lines.js';
import { withoutPassword } from '../ui/format.js';
import type { DevView } from './dev-view.js';

/** `aip dev --output json`: dev.json as one line when the start is over and whenever instances become ready or stop being so. Everything else, the demo's follow too, goes to stderr. */
export function jsonView(verbose: boolean): DevView {
  const out = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  let shown: string | undefined;
  const err = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  return {
    checkMs: undefined,
    stage: ({ name, state, ms }) => {
      if (verbose || state === 'failed') err(`${state} ${name} ${shortDuration(ms)}`);
    },
    note: (text) => err(text),
    log: (name, line) => err(`${name} | ${line}`),
    demo: (capabilityId, _input, actionId) => followJson(err, actionId, capabilityId),
    receipts: (chain) => err(JSON.stringify({ receipt_chain: chain })),
    ready: ({ info }) => {
      shown = readinessOf(info);
      out(shownOf(info));
    },
    changed: (info) => {
      if (shown === undefined || shown === readinessOf(info)) return;
      shown = readinessOf(info);
      out(shownOf(info));
    },
    fleet: () => undefined,
    commands: () => undefined,
    stopping: () => undefined,
    drained: () => undefined,
    stopped: () => undefined,
    close: () => undefined,
  };
}

/** dev.json as printed: pipelines keep what a process prints, so the password of the database is in dev.json alone. */
function shownOf(info: DevInfo): string {
  return JSON.stringify({ ...info, database_url: withoutPassword(info.database_url) });
}

/** What another line is worth printing for. */
function readinessOf({ instances_ready, instances_total }: DevInfo): string {
  return `${instances_ready}/${instances_total}`;
}
