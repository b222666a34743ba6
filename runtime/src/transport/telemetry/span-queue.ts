import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { after, openTimer } from '../../time/timer.js';

/** Spans that wait for the collector at most; further ones are dropped. */
const MAX_QUEUE = 2048;
const MAX_BATCH = 512;
/** How long spans are gathered before they are sent, in milliseconds. */
const GATHER_MS = 1000;
/** How long one export may take, in milliseconds. */
const EXPORT_MS = 10_000;

/** Why spans were dropped. */
export type DropReason = 'queue_full' | 'export_failed';

/** Spans on their way to a collector. Ending a span never waits: a full queue drops it, and each drop is counted. */
export interface SpanQueue extends SpanProcessor {
  waiting(): number;
}

/** Opens a queue in front of an exporter; one export runs at a time. `dropped` is called with every loss. */
export function openSpanQueue(
  exporter: SpanExporter,
  dropped: (count: number, reason: DropReason, error?: unknown) => void,
): SpanQueue {
  const queue: ReadableSpan[] = [];
  let sending: Promise<void> | undefined;

  const schedule = (ms: number): void => {
    if (sending === undefined && queue.length > 0) timer.start(ms);
  };
  const send = (): Promise<void> => {
    sending ??= exported(exporter, queue.splice(0, MAX_BATCH), dropped).finally(() => {
      sending = undefined;
      schedule(queue.length >= MAX_BATCH ? 0 : GATHER_MS);
    });
    return sending;
  };
  const timer = openTimer(send, { ref: false });
  const flush = async (): Promise<void> => {
    await sending;
    while (queue.length > 0) await send();
  };
  return {
    waiting: () => queue.length,
    onStart: () => undefined,
    onEnd: (span) => {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (queue.length >= MAX_QUEUE) {
        dropped(1, 'queue_full');
        return;
      }
      queue.push(span);
      schedule(GATHER_MS);
    },
    forceFlush: flush,
    shutdown: async () => {
      await flush();
      timer.stop();
      await exporter.shutdown();
    },
  };
}

/** One export with a bound of its own: a collector that answers byte by byte would never run into the exporter's. */
function exported(
  exporter: SpanExporter,
  batch: ReadableSpan[],
  dropped: (count: number, reason: DropReason, error?: unknown) => void,
): Promise<void> {
  if (batch.length === 0) return Promise.resolve();
  return new Promise((done) => {
    let over = false;
    const end = (error?: unknown): void => {
      if (over) return;
      over = true;
      cancel();
      if (error !== undefined) dropped(batch.length, 'export_failed', error);
      done();
    };
    const late = (): void => end(new Error(`no complete answer within ${EXPORT_MS} ms`));
    const cancel = after(EXPORT_MS, late, { ref: false });
    try {
      exporter.export(batch, ({ code, error }) => end(code === 0 ? undefined : (error ?? new Error('export failed'))));
    } catch (error) {
      end(error);
    }
  });
}
