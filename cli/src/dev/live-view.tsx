import { verifyReceiptChain } from '@aip/runtime/internal/signing';
import { render } from 'ink';
import { logLine } from '../logs/log-line.js';
import { openModel } from '../ui/fleet/model.js';
import { chunkText, compact, eventText, seconds } from '../ui/format.js';
import { type Line, withLine } from '../ui/line.js';
import { stateColor } from '../ui/spinner.js';
import type { DevView } from './dev-view.js';
import type { LiveState } from './live-model.js';
import { LiveScreen } from './live-screen.js';
import { openWriter } from './writer.js';

/** `aip dev` on a terminal: what happened stays, what is under way moves, the fleet table keeps itself up to date. */
export function liveView(): DevView {
  const model = openModel<LiveState>({
    lines: [],
    running: [],
    doing: undefined,
    facts: undefined,
    rows: [],
  });
  const line = (added: Omit<Line, 'key'>): void => model.change(({ lines }) => ({ lines: withLine(lines, added) }));
  const writer = openWriter();
  const app = render(<LiveScreen model={model} writer={writer} />, {
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 10,
  });
  return {
    stage: (stage) => {
      model.change(({ running }) => {
        const others = running.filter(({ name }) => name !== stage.name);
        return { running: stage.state === 'running' ? [...others, stage] : others };
      });
      if (stage.state === 'done') line({ mark: '✓', color: 'green', text: stage.name, aside: seconds(stage.ms) });
      if (stage.state === 'failed') line({ mark: '✗', color: 'red', text: stage.name, aside: seconds(stage.ms) });
    },
    note: (text) => line({ mark: '!', color: 'yellow', text }),
    log: (program, text) => {
      const shown = logLine(program, text, { level: 'trace', json: false, width: process.stdout.columns });
      if (shown !== undefined) writer.write(`${shown}\n`);
    },
    demo: (capabilityId, input, actionId) => {
      line({ mark: '▶', color: 'cyan', text: `${capabilityId} ${compact(input)}`, aside: actionId });
      model.change(() => ({ doing: 'streaming' }));
      return {
        event: (event) => {
          if (event.kind !== 'aip.stream.chunk')
            line({ mark: ' •', color: 'gray', text: `${event.kind} ${eventText(event)}`, dim: true });
        },
        chunk: (chunk) =>
          line({ mark: ` #${chunk.sequence}`, color: 'cyan', text: `${chunk.kind} ${chunkText(chunk)}` }),
        reconnecting: (afterMs, reason) =>
          line({ mark: '!', color: 'yellow', text: `${reason}; again in ${seconds(afterMs)}` }),
        end: (status) => {
          model.change(() => ({ doing: undefined }));
          if (!status) return;
          const color = stateColor(status.state);
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
    ready: (facts) => model.change(() => ({ facts, rows: facts.rows })),
    changed: (info) => model.change(({ facts }) => ({ facts: facts && { ...facts, info } })),
    fleet: (rows) => model.change(() => ({ rows })),
    stopping: () => model.change(() => ({ doing: 'draining the hosts; Ctrl-C again kills', facts: undefined })),
    drained: (replica, ms) => line({ mark: '✓', color: 'green', text: `${replica} has drained`, aside: seconds(ms) }),
    stopped: (ms) => {
      model.change(() => ({ doing: undefined }));
      line({ mark: '✓', color: 'green', text: 'everything has ended', aside: seconds(ms) });
    },
    close: async () => {
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
  };
}
