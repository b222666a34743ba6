/** What a transport tells beside the envelope; it never carries identity. */
export interface RequestContext {
  /** Of the transport request, for the log. */
  readonly requestId: string;
  /** W3C trace context, when the caller sent a valid one. */
  readonly trace?: TraceParent | undefined;
}

/** The parts of a W3C traceparent header that an action keeps. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
}

/** Reads a traceparent header (W3C Trace Context, version 00); undefined for none or an invalid one. */
export function traceParent(header: string | undefined): TraceParent | undefined {
  const match =
    header === undefined ? null : /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-.*)?$/.exec(header);
  const [, traceId, spanId] = match ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId) || header?.startsWith('ff')) return undefined;
  return { traceId, spanId };
}
