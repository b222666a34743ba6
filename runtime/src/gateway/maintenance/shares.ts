import type { Allotments } from '../../registry/allotments/allotments.js';
import type { Logger } from '../../transport/process/logger.js';
import { startLoop } from './loop.js';

/** When a gateway gives back what it does not use of its shares. */
const SHARES_RULE = { intervalMs: 500, firstBackoffMs: 1000, maxBackoffMs: 10_000 };

/** Keeps the shares of a gateway in step with what it uses (docs/protocol/registry.md#quota-policies); `stop` gives them back. */
export function startSharesMaintenance(
  allotments: Pick<Allotments, 'tick' | 'close'> | undefined,
  log: Logger,
): { stop(): Promise<void> } {
  const loop =
    allotments &&
    startLoop(
      () => allotments.tick(),
      SHARES_RULE,
      (error, inARow) => log.warn({ err: error, in_a_row: inARow }, 'shares not given back'),
    );
  return {
    stop: async () => {
      await loop?.stop();
      await allotments?.close().catch((error) => log.warn({ err: error }, 'shares not given back'));
    },
  };
}
