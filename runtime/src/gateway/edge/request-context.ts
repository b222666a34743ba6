import type { TraceContext } from '../../transport/telemetry/trace-context.js';

/** What a transport knows beside the envelope; it never carries identity. */
export interface RequestContext {
  /** Of the transport request, for the log. */
  readonly requestId: string;
  /** W3C trace context, when the caller sent a valid one. */
  readonly trace?: TraceParent | undefined;
}

/** The trace context that an action keeps. */
export interface TraceParent extends TraceContext {
  /** A span of this gateway, which continues the caller's: it wins over the context that the action names. */
  readonly own?: boolean;
}
