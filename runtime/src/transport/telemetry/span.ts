import type { TraceContext } from './trace-context.js';

/** How long the last export may take when a process ends, in milliseconds. */
export const TELEMETRY_STOP_MS = 2000;

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** One span to record. */
export interface SpanStart {
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer' | undefined;
  /** Default: the span that this code runs in. */
  readonly parent?: TraceContext | undefined;
  readonly attributes?: Attributes | undefined;
  /** Milliseconds since the epoch; default: now. */
  readonly startedAt?: number | undefined;
}

/** A span that is being recorded, or nothing while telemetry is off. */
export interface Span {
  /** Undefined while telemetry is off. */
  readonly context: TraceContext | undefined;
  set(attributes: Attributes): void;
  /** Marks the span as failed with a code; texts of errors stay in the log. */
  fail(code: string): void;
}

/** What records spans and metrics; there is none while telemetry is off. */
export interface Recorder {
  start(name: string, start: SpanStart): Span & { end(endedAt?: number): void };
  /** Adds to a histogram of seconds. */
  duration(name: string, seconds: number, attributes: Attributes): void;
  /** Sends what is recorded, within TELEMETRY_STOP_MS; never throws. */
  stop(): Promise<void>;
}
