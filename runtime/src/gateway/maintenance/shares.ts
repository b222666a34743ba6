import type { Allotments } from '../../registry/allotments/allotments.js';
import { openWaker, pollLoop, waited } from '../../time/wait.js';
import type { Logger } from '../../transport/process/logger.js';
import { pauseMs } from './loop.js';

/** When a gateway gives back what it does not use of its shares. */
const SHARES_RULE = { intervalMs: 500, firstBackoffMs: 1000, maxBackoffMs: 10_000 };
/** Pause while no shares are held: their first change ends it. */
const NONE_HELD_MS = 60_000;

/** Keeps the shares of a gateway in step with what it uses (docs/protocol/registry.md#quota-policies); `stop` gives them back. */
export function startSharesMaintenance(
  allotments: Pick<Allotments, 'tick' | 'close' | 'inUse' | 'onChange'> | undefined,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const looping = allotments && keepShares(allotments, log, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await looping;
      await allotments?.close().catch((error) => log.warn({ err: error }, 'shares not given back'));
    },
  };
}

/** Ticks while shares are held, until the signal aborts. */
function keepShares(
  allotments: Pick<Allotments, 'tick' | 'inUse' | 'onChange'>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const waker = openWaker();
  allotments.onChange(waker.wake);
  let inARow = 0;
  return pollLoop(
    async () => {
      waker.forget();
      await allotments.tick();
      inARow = 0;
    },
    {
      signal,
      everyMs: () => pauseMs(SHARES_RULE, inARow),
      pause: (ms) =>
        allotments.inUse() || inARow > 0 || waker.woken() ? waited(ms, signal) : waker.pause(NONE_HELD_MS, signal),
      failed: (error) => {
        if (signal.aborted) return;
        inARow += 1;
        log.warn({ err: error, in_a_row: inARow }, 'shares not given back');
      },
    },
  );
}
