/** A span as other processes know it (W3C Trace Context). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly sampled: boolean;
}

/** The members of an action's `observability` that hold a trace context. */
interface Observability {
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
  readonly fields?: unknown;
}

/** Reads a traceparent header (W3C Trace Context); undefined for none or an invalid one. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string' || header.length > 512 || header.startsWith('ff')) return undefined;
  const match = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(header);
  const [, traceId, spanId, flags = ''] = match ?? [];
  return traceContext(traceId, spanId, (Number.parseInt(flags, 16) & 1) === 1);
}

/** The value of a traceparent header. */
export function traceparentOf({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The trace context that an action keeps; undefined for none or an invalid one. It is sampled unless `fields` says otherwise. */
export function traceOfAction(action: {
  readonly observability?: Observability | undefined;
}): TraceContext | undefined {
  const { trace_id, span_id, fields } = action.observability ?? {};
  const flags = (fields as { trace_flags?: unknown } | null | undefined)?.trace_flags;
  return traceContext(trace_id, span_id, flags !== UNSAMPLED);
}

/** The observability of an action with another span: only an unsampled one needs a flag. */
export function observabilityWith(
  given: Observability | undefined,
  { traceId, spanId, sampled }: TraceContext,
): { trace_id: string; span_id: string; fields?: unknown } {
  const own = { ...given, trace_id: traceId, span_id: spanId };
  const { trace_flags: before, ...fields } = recordOf(given?.fields);
  if (!sampled) return { ...own, fields: { ...fields, trace_flags: UNSAMPLED } };
  return before === undefined ? own : { ...own, fields };
}

const UNSAMPLED = '00';

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function traceContext(
  traceId: string | undefined,
  spanId: string | undefined,
  sampled: boolean,
): TraceContext | undefined {
  if (!traceId || !spanId || !/^[\da-f]{32}$/.test(traceId) || !/^[\da-f]{16}$/.test(spanId)) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId, sampled };
}
