import type { NoteKind } from '@aip/controller/internal/dev';
import { shortDuration } from '../duration.js';
import { logLine } from '../logs/log-line.js';
import { followLines } from '../ui/follow/lines.js';
import { compact, withoutPassword } from '../ui/format.js';
import { paint } from '../ui/paint.js';
import { receiptLines } from '../ui/tables/action-details.js';
import type { DevView } from './dev-view.js';
import { readyText } from './ready-text.js';

/** Other commands to try are shown so long after an instance broke at the latest. */
const CHECK_MS = 10_000;
/** Lines that come here have passed the filter. */
const SHOWN = { level: 'trace', json: false } as const;

function noteMark(kind: NoteKind): string {
  const marks = { step: paint.dim('•'), good: paint.good('✓'), trouble: paint.warn('!') };
  return marks[kind];
}

/** `aip dev` as plain lines. With `verbose` the logs of all programs and the begin of each stage are shown. */
export function plainView(write: (line: string) => void, options: { verbose: boolean }): DevView {
  let shown: string | undefined;
  let tried = '';
  return {
    checkMs: CHECK_MS,
    stage: ({ name, label, state, startedAtMs, ms }) => {
      if (state === 'running') {
        if (options.verbose) write(paint.dim(`… ${label} (at ${shortDuration(startedAtMs)})`));
        return;
      }
      const mark = state === 'done' ? paint.good('✓') : paint.bad('✗');
      const when = options.verbose
        ? paint.dim(` (from ${shortDuration(startedAtMs)} to ${shortDuration(startedAtMs + ms)})`)
        : '';
      write(`${mark} ${name.padEnd(20)} ${paint.dim(shortDuration(ms))}${when}`);
    },
    note: (text, kind = 'trouble') => write(`${noteMark(kind)} ${text.replaceAll('\n', '\n  ')}`),
    log: (program, line) => write(logLine(program, line, SHOWN) ?? ''),
    demo: (capabilityId, input, actionId) => {
      return followLines(write, actionId, `${capabilityId} ${compact(input)}`);
    },
    receipts: (chain) => {
      for (const line of receiptLines(chain, process.stdout.columns)) write(line);
    },
    ready: (facts) => {
      const { info } = facts;
      write('');
      write(`${paint.dim('gateway')}        ${info.gateway_url}`);
      write(`${paint.dim('control plane')}  ${new URL(info.control_url).origin}`);
      write(`${paint.dim('token')}          ${info.token_file}`);
      write(`${paint.dim('database')}       ${withoutPassword(info.database_url)}`);
      write(`${paint.dim('data folder')}    ${facts.dataDir}`);
      write('');
      write(facts.fleet.table(process.stdout.columns, Date.now()));
      write('');
      const first = facts.firstChunkMs === undefined ? '' : `, first chunk after ${shortDuration(facts.firstChunkMs)}`;
      write(`${readyText(info)} after ${shortDuration(facts.readyMs ?? 0)}${first}. Ctrl-C ends it. Try:`);
      for (const command of facts.commands) write(`  ${command}`);
      shown = readyText(info);
      tried = facts.commands.join();
    },
    changed: (info) => {
      if (shown === undefined || shown === readyText(info)) return;
      shown = readyText(info);
      write(shown);
    },
    fleet: () => undefined,
    commands: (commands) => {
      if (commands.join() === tried) return;
      tried = commands.join();
      write('Try:');
      for (const command of commands) write(`  ${command}`);
    },
    stopping: () => write('draining the hosts …'),
    drained: (replica, ms) => write(`${paint.good('✓')} ${replica} has drained ${paint.dim(shortDuration(ms))}`),
    stopped: (ms) => write(`${paint.good('✓')} everything has ended ${paint.dim(shortDuration(ms))}`),
    close: () => undefined,
  };
}
