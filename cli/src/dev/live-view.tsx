import type { DevInfo } from '@aip/controller/internal/data-folder';
import { verifyReceiptChain } from '@aip/runtime/internal/signing';
import { type Instance, render } from 'ink';
import { shortDuration, timeLeft } from '../duration.js';
import { levelOfLine, logLine, reaches } from '../logs/log-line.js';
import { openModel } from '../ui/fleet/model.js';
import { chunkText, compact, eventText } from '../ui/format.js';
import { type Line, withLine } from '../ui/line.js';
import { stateColor } from '../ui/paint.js';
import type { DevView, ReadyFacts } from './dev-view.js';
import type { LiveState } from './live-model.js';
import { LiveScreen } from './live-screen.js';
import { openWriter } from './writer.js';

/** How often the table is read again, in ms: leases and load change all the time. */
const TABLE_MS = 2000;

/** How a note begins; what is wrong takes as many lines as it needs. */
const NOTES = {
  step: { mark: '•', color: 'gray', dim: true },
  good: { mark: '✓', color: 'green' },
  trouble: { mark: '!', color: 'yellow', whole: true },
} as const;

/** `aip dev` on a terminal: what happened stays, what is under way moves, the fleet table keeps itself up to date. */
export function liveView(): DevView {
  const model = openModel<LiveState>({
    lines: [],
    running: [],
    doing: undefined,
    sinceMs: 0,
    facts: undefined,
    fleet: undefined,
  });
  const writer = openWriter();
  let app: Instance | undefined;
  // Nothing is drawn before there is something to show: a refused start leaves no empty line.
  const draw = (): void => {
    app ??= render(<LiveScreen model={model} writer={writer} />, {
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: 10,
    });
  };
  const change = (changed: Parameters<typeof model.change>[0]): void => {
    model.change(changed);
    draw();
  };
  const line = (added: Omit<Line, 'key'>): void => change(({ lines }) => ({ lines: withLine(lines, added) }));
  return {
    checkMs: TABLE_MS,
    stage: (stage) => {
      change(({ running }) => {
        const others = running.filter(({ name }) => name !== stage.name);
        return { running: stage.state === 'running' ? [...others, stage] : others };
      });
      if (stage.state === 'done') line({ mark: '✓', color: 'green', text: stage.name, aside: shortDuration(stage.ms) });
      if (stage.state === 'failed') line({ mark: '✗', color: 'red', text: stage.name, aside: shortDuration(stage.ms) });
    },
    note: (text, kind = 'trouble') => line({ ...NOTES[kind], text }),
    log: (program, text) => {
      // What is wrong is shown whole, everything else on one line.
      const width = reaches(levelOfLine(text), 'warn') ? undefined : process.stdout.columns;
      const shown = logLine(program, text, { level: 'trace', json: false, width });
      if (shown === undefined) return;
      writer.write(`${shown}\n`);
      draw();
    },
    demo: (capabilityId, input, actionId) => {
      line({ mark: '▶', color: 'cyan', text: `${capabilityId} ${compact(input)}`, aside: actionId });
      change(() => ({ doing: 'streaming', sinceMs: performance.now() }));
      return {
        event: (event) => {
          if (event.kind !== 'aip.stream.chunk')
            line({ mark: ' •', color: 'gray', text: `${event.kind} ${eventText(event)}`, dim: true });
        },
        chunk: (chunk) =>
          line({ mark: ` #${chunk.sequence}`, color: 'cyan', text: `${chunk.kind} ${chunkText(chunk)}` }),
        reconnecting: (afterMs, reason) =>
          line({ mark: '!', color: 'yellow', text: `${reason}; again in ${timeLeft(afterMs)}` }),
        end: (status) => {
          change(() => ({ doing: undefined }));
          if (!status) return;
          const color = stateColor(status.state) ?? 'white';
          const mark = status.state === 'completed' ? '✓' : '■';
          line({
            mark,
            color,
            text: `${status.state} ${compact(status.result?.output ?? status.result?.error ?? {})}`,
          });
        },
        interrupted: () => undefined,
      };
    },
    receipts: (chain) => {
      const verdict = verifyReceiptChain(chain);
      const kinds = chain.receipts.map(({ receipt_type }) => receipt_type).join(' → ');
      if (verdict.ok) line({ mark: '✓', color: 'green', text: `receipt chain verified: ${kinds}` });
      else line({ mark: '✗', color: 'red', text: `the receipt chain does not verify: ${verdict.problem}` });
    },
    ready: (facts) => change(() => ({ facts, fleet: facts.fleet })),
    changed: (info) => change(({ facts }) => ({ facts: facts && withInfo(facts, info) })),
    fleet: (fleet) => change(() => ({ fleet })),
    commands: (commands) => change(({ facts }) => ({ facts: facts && { ...facts, commands } })),
    stopping: () =>
      change(() => ({
        doing: 'draining the hosts; Ctrl-C again kills',
        sinceMs: performance.now(),
        facts: undefined,
      })),
    drained: (replica, ms) =>
      line({ mark: '✓', color: 'green', text: `${replica} has drained`, aside: shortDuration(ms) }),
    stopped: (ms) => {
      change(() => ({ doing: undefined }));
      line({ mark: '✓', color: 'green', text: 'everything has ended', aside: shortDuration(ms) });
    },
    close: async () => {
      await app?.waitUntilRenderFlush();
      app?.unmount();
      await app?.waitUntilExit();
    },
  };
}

/** How long the start took no longer counts once other instances are ready. */
function withInfo(facts: ReadyFacts, info: DevInfo): ReadyFacts {
  const same = facts.info.instances_ready === info.instances_ready;
  return { ...facts, info, readyMs: same ? facts.readyMs : undefined };
}
