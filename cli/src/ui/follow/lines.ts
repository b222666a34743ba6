import { timeLeft } from '../../duration.js';
import type { FollowView } from '../../follow-session.js';
import { chunkText, compact, eventText, violationTexts } from '../format.js';
import { paint, paintState } from '../paint.js';
import { asTyped } from '../self.js';
import { waitingLines } from './submitted.js';

/** A follow as plain lines, for pipes and for terminals that can't redraw. */
export function followLines(write: (line: string) => void, actionId: string, capability?: string): FollowView {
  write(`${paint.key('▶')} ${capability === undefined ? '' : `${capability} `}${actionId}`);
  return {
    event: (event) => {
      if (event.kind !== 'aip.stream.chunk')
        write(`${paint.dim('event')} ${event.kind} ${paint.dim(eventText(event))}`.trimEnd());
    },
    chunk: (chunk) => write(`${paint.key(`#${chunk.sequence}`)} ${chunk.kind} ${chunkText(chunk)}`.trimEnd()),
    reconnecting: (afterMs, reason) => write(paint.warn(`connection lost (${reason}); again in ${timeLeft(afterMs)}`)),
    end: (status) => {
      if (!status) return;
      const output = status.result?.output;
      const error = status.result?.error;
      write(`${paintState(status.state)} ${status.action_id}`);
      if (status.state === 'pending_approval') {
        for (const line of waitingLines({ status })) write(line);
        return;
      }
      if (output !== undefined) write(`output ${compact(output)}`);
      if (!error) return;
      write(`${paint.bad(error.code)} ${error.message}`);
      for (const text of violationTexts(error)) write(`  ${text}`);
    },
    interrupted: () => sayInterrupted(actionId),
  };
}

/** What Ctrl-C leaves behind, on standard error: it is not a part of the answer. */
export function sayInterrupted(actionId: string): void {
  process.stderr.write(`${asTyped(`The action continues. \`aip actions follow ${actionId}\` comes back to it.`)}\n`);
}

/** A follow as JSON lines: {"following":…} first, then {"event":…}, {"chunk":…}, {"reconnecting":…}, and at the end {"terminal":true,"action_id":…,"state":…,"result":…}. */
export function followJson(write: (line: string) => void, actionId: string, capability?: string): FollowView {
  const line = (value: unknown): void => write(JSON.stringify(value));
  line({ following: { action_id: actionId, ...(capability === undefined ? {} : { capability_id: capability }) } });
  return {
    event: (event) => line({ event }),
    chunk: (chunk) => line({ chunk }),
    reconnecting: (afterMs, reason) => line({ reconnecting: { after_ms: afterMs, reason } }),
    end: (status) => {
      if (!status) return;
      const terminal = status.state !== 'pending_approval';
      line({
        terminal,
        action_id: status.action_id,
        state: status.state,
        ...(status.result ? { result: status.result } : {}),
      });
    },
    interrupted: () => line({ interrupted: true, action_id: actionId }),
  };
}
