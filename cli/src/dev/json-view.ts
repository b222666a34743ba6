import type { DevInfo } from '@aip/controller/local/state/data-dir.js';
import { followJson } from '../ui/follow/lines.js';
import type { DevView } from './dev-view.js';

/** `aip dev --output json`: dev.json as one line when the start is over and whenever instances become ready or stop being so, the demo's follow as JSON lines; everything else goes to stderr. */
export function jsonView(verbose: boolean): DevView {
  const out = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  let shown: string | undefined;
  const err = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  return {
    stage: ({ name, state, ms }) => {
      if (verbose || state === 'failed') err(`${state} ${name} ${Math.round(ms)} ms`);
    },
    note: err,
    log: (name, line) => err(`${name} | ${line}`),
    demo: (capabilityId, _input, actionId) => followJson(out, actionId, capabilityId),
    receipts: (chain) => out(JSON.stringify({ receipt_chain: chain })),
    ready: ({ info }) => {
      shown = readinessOf(info);
      out(JSON.stringify(info));
    },
    changed: (info) => {
      if (shown === undefined || shown === readinessOf(info)) return;
      shown = readinessOf(info);
      out(JSON.stringify(info));
    },
    fleet: () => undefined,
    stopping: () => undefined,
    stopped: () => undefined,
    close: () => undefined,
  };
}

/** What another line is worth printing for. */
function readinessOf({ instances_ready, instances_total }: DevInfo): string {
  return `${instances_ready}/${instances_total}`;
}
