import { createServer } from 'node:http';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { openLogger } from '#runtime/transport/process/logger.js';
import { openSpanQueue } from '#runtime/transport/telemetry/span-queue.js';
import { startTelemetry, traced } from '#runtime/transport/telemetry/telemetry.js';

const span = { spanContext: () => ({ traceId: 't', spanId: 's', traceFlags: 1 }) } as ReadableSpan;

/** An exporter whose exports end when the test says so. */
function heldExporter(): SpanExporter & { batches: { size: number; end: (code: number) => void }[] } {
  const batches: { size: number; end: (code: number) => void }[] = [];
  return {
    batches,
    export: (spans, done) => void batches.push({ size: spans.length, end: (code) => done({ code }) }),
    shutdown: async () => undefined,
  };
}

test('at most 2048 spans wait; each further one is dropped and counted', () => {
  const losses: [number, string][] = [];
  const queue = openSpanQueue(heldExporter(), (count, reason) => losses.push([count, reason]));
  for (let each = 0; each < 2048; each += 1) queue.onEnd(span);
  expect([queue.waiting(), losses]).toEqual([2048, []]);
  queue.onEnd(span);
  queue.onEnd(span);
  expect([queue.waiting(), losses]).toEqual([
    2048,
    [
      [1, 'queue_full'],
      [1, 'queue_full'],
    ],
  ]);
});

test('one export of at most 512 spans runs at a time, and a failed one is counted as a whole', async () => {
  const exporter = heldExporter();
  const losses: [number, string][] = [];
  const queue = openSpanQueue(exporter, (count, reason) => losses.push([count, reason]));
  for (let each = 0; each < 600; each += 1) queue.onEnd(span);
  const flushed = queue.forceFlush();
  await Promise.resolve();
  expect(exporter.batches.map(({ size }) => size)).toEqual([512]);
  exporter.batches[0]?.end(1);
  await expect.poll(() => exporter.batches.length).toBe(2);
  exporter.batches[1]?.end(0);
  await flushed;
  expect([exporter.batches[1]?.size, losses]).toEqual([88, [[512, 'export_failed']]]);
});

test('ending takes no longer than its bound while the collector never answers', async () => {
  let open = 0;
  const silent = createServer((request) => {
    open += 1;
    request.socket.once('close', () => {
      open -= 1;
    });
  });
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const { port } = silent.address() as { port: number };
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const stop = await startTelemetry(environment, 'test', openLogger({ component: 'test', level: 'silent' }));
  expect(await traced('work', {}, async ({ context }) => context?.sampled)).toBe(true);
  await stop();
  // The exporter alone would wait until it gives the exchange up; here it is still open.
  expect(open).toBeGreaterThan(0);
  expect(await traced('work', {}, async ({ context }) => context)).toBeUndefined();
  silent.closeAllConnections();
  silent.close();
});
