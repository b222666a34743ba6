import {
  INGRESS_CONCURRENCY,
  INGRESS_ENVELOPE_BYTES,
  INGRESS_EVENTS,
  MAX_CALLBACK_AGE_MS,
  MAX_CHUNK_BYTES,
  MAX_EVENT_AGE_MS,
  MAX_EVENT_BYTES,
  MAX_EVENT_SKEW_MS,
  MAX_INGRESS_EVENTS,
} from '../../protocol/limits.js';
import type { Env } from '../../transport/settings/env.js';

/** Bounds of the connector ingress (docs/protocol/limits.md). Sizes in bytes, times in milliseconds. */
export interface IngressLimits {
  maxEnvelopeBytes: number;
  maxEventsPerEnvelope: number;
  maxEventBytes: number;
  maxChunkBytes: number;
  maxInFlight: number;
  maxAgeMs: number;
  maxFutureSkewMs: number;
  callbackMaxAgeMs: number;
}

/** The bounds when nothing is configured. */
export const DEFAULT_INGRESS_LIMITS: IngressLimits = {
  maxEnvelopeBytes: INGRESS_ENVELOPE_BYTES,
  maxEventsPerEnvelope: INGRESS_EVENTS,
  maxEventBytes: MAX_EVENT_BYTES,
  maxChunkBytes: MAX_CHUNK_BYTES,
  maxInFlight: INGRESS_CONCURRENCY,
  maxAgeMs: MAX_EVENT_AGE_MS,
  maxFutureSkewMs: MAX_EVENT_SKEW_MS,
  callbackMaxAgeMs: MAX_CALLBACK_AGE_MS,
};

/** Reads the bounds from CONNECTOR_EVENT_* and CONNECTOR_STREAM_* (docs/protocol/registry.md#scheduler). Throws StartupRefused. */
export function readIngressLimits(env: Env): IngressLimits {
  const d = DEFAULT_INGRESS_LIMITS;
  const positive = { min: 1 };
  const seconds = (name: string, fallbackMs: number): number =>
    env.int(name, fallbackMs / 1000, { min: 1, max: 1_000_000_000 }) * 1000;
  const limits: IngressLimits = {
    maxEnvelopeBytes: env.int('CONNECTOR_EVENT_MAX_ENVELOPE_BYTES', d.maxEnvelopeBytes, positive),
    maxEventsPerEnvelope: env.int('CONNECTOR_EVENT_MAX_EVENTS_PER_ENVELOPE', d.maxEventsPerEnvelope, {
      min: 1,
      max: MAX_INGRESS_EVENTS,
    }),
    maxEventBytes: env.int('CONNECTOR_EVENT_MAX_EVENT_BYTES', d.maxEventBytes, positive),
    maxChunkBytes: env.int('CONNECTOR_STREAM_MAX_CHUNK_BYTES', d.maxChunkBytes, positive),
    maxInFlight: env.int('CONNECTOR_EVENT_MAX_IN_FLIGHT', d.maxInFlight, positive),
    maxAgeMs: seconds('CONNECTOR_EVENT_MAX_AGE_SECONDS', d.maxAgeMs),
    maxFutureSkewMs: seconds('CONNECTOR_EVENT_MAX_FUTURE_SKEW_SECONDS', d.maxFutureSkewMs),
    callbackMaxAgeMs: seconds('CONNECTOR_STREAM_CALLBACK_MAX_AGE_SECONDS', d.callbackMaxAgeMs),
  };
  const envelopeBound = `must not be above ${env.name('CONNECTOR_EVENT_MAX_ENVELOPE_BYTES')}`;
  if (limits.maxEventBytes > limits.maxEnvelopeBytes)
    throw env.refuse('CONNECTOR_EVENT_MAX_EVENT_BYTES', envelopeBound);
  if (limits.maxChunkBytes > limits.maxEnvelopeBytes)
    throw env.refuse('CONNECTOR_STREAM_MAX_CHUNK_BYTES', envelopeBound);
  return limits;
}
