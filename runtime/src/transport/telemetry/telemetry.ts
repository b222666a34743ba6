import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '../process/logger.js';
import { readTelemetrySettings } from './settings.js';
import type { Attributes, Recorder, Span, SpanStart } from './span.js';
import { type TraceContext, traceparentOf } from './trace-context.js';

export { type Attributes, type Span, type SpanStart, TELEMETRY_STOP_MS } from './span.js';

const OFF: Span = { context: undefined, set: () => undefined, fail: () => undefined };

/** A process has one environment, and with it one recorder, as it has one standard error for its log. */
let recorder: Recorder | undefined;
const active = new AsyncLocalStorage<TraceContext>();

/**
 * Turns traces and metrics on when OTEL_EXPORTER_OTLP_ENDPOINT is set; otherwise nothing is loaded and nothing connects. Returns what
 * ends them. Throws StartupRefused for a wrong variable.
 */
export async function startTelemetry(
  source: Readonly<Record<string, string | undefined>>,
  service: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const settings = readTelemetrySettings(source, service);
  if (!settings) return async () => undefined;
  const { openRecorder } = await import('./recorder.js');
  const opened = openRecorder(settings, log);
  recorder = opened;
  log.info({ endpoint: settings.endpoint, sampler: settings.sampler }, 'telemetry is on');
  return async () => {
    if (recorder === opened) recorder = undefined;
    await opened.stop();
  };
}

/** Does work within a span; what it throws marks the span as failed and is thrown. */
export async function traced<T>(name: string, start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
  if (!recorder) return work(OFF);
  const span = recorder.start(name, { ...start, parent: start.parent ?? active.getStore() });
  try {
    return await active.run(span.context as TraceContext, work, span);
  } catch (error) {
    span.fail(codeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Records a span that is over. Times in milliseconds since the epoch. */
export function recordSpan(name: string, start: SpanStart & { startedAt: number; endedAt: number }): void {
  recorder?.start(name, start).end(Math.max(start.startedAt, start.endedAt));
}

/** Adds to a histogram of seconds. */
export function recordDuration(name: string, seconds: number, attributes: Attributes): void {
  recorder?.duration(name, seconds, attributes);
}

/** The header that lets a peer continue the trace which this code runs in; none while telemetry is off. */
export function traceHeader(): { traceparent?: string } {
  const context = active.getStore();
  return context ? { traceparent: traceparentOf(context) } : {};
}

function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
}
