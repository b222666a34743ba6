import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { within } from '../../time/deadline.js';
import type { Logger } from '../process/logger.js';
import type { TelemetrySettings } from './settings.js';
import { type Attributes, type Recorder, type SpanStart, TELEMETRY_STOP_MS } from './span.js';
import { type DropReason, openSpanQueue } from './span-queue.js';
import type { TraceContext } from './trace-context.js';

const SCOPE = 'aip-fleet';
/** Longest text of an attribute, in characters. */
const MAX_TEXT = 512;
/** Dropped spans are logged once in this time, with how many they were since then. */
const LOG_EVERY_MS = 60_000;
/** Bounds of duration histograms in seconds, as the semantic conventions advise for HTTP, with longer ones for actions. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 300];
/** What HTTP durations are distinguished by: few values each. */
const HTTP_DIMENSIONS = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'server.address',
  'error.type',
];

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

/** Opens the recorder of this process: spans through a bounded queue, metrics at an interval, both as OTLP over HTTP. */
export function openRecorder(settings: TelemetrySettings, log: Logger): Recorder {
  const { endpoint, headers } = settings;
  const resource = resourceFromAttributes({ 'service.name': settings.serviceName, 'process.pid': process.pid });
  const metricReader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, headers: { ...headers } }),
    exportIntervalMillis: settings.metricIntervalMs,
    exportTimeoutMillis: Math.min(settings.metricIntervalMs, 10_000),
  });
  const meters = new MeterProvider({ resource, readers: [metricReader] });
  const meter = meters.getMeter(SCOPE);
  const lost = meter.createCounter('otel.sdk.processor.span.processed', {
    description: 'Spans that were dropped, by error.type.',
    unit: '{span}',
  });
  const queue = openSpanQueue(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } }),
    countLosses(log, (count, reason) => lost.add(count, { 'error.type': reason })),
  );
  const traces = new TracerProvider({
    resource,
    sampler: samplerOf(settings),
    spanProcessors: [queue],
    spanLimits: { attributeValueLengthLimit: MAX_TEXT },
  });
  const tracer = traces.getTracer(SCOPE);
  const histograms = new Map<string, ReturnType<typeof meter.createHistogram>>();

  const duration = (name: string, seconds: number, attributes: Attributes): void => {
    let histogram = histograms.get(name);
    if (!histogram) {
      histogram = meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries: BOUNDS } });
      histograms.set(name, histogram);
    }
    histogram.record(Math.max(0, seconds), given(attributes));
  };

  return {
    duration,
    start: (name, start) => {
      const startedAt = start.startedAt ?? Date.now();
      const parent = start.parent ? trace.setSpanContext(ROOT_CONTEXT, remote(start.parent)) : ROOT_CONTEXT;
      const kind = KINDS[start.kind ?? 'internal'];
      let attributes = given(start.attributes ?? {});
      const span = tracer.startSpan(name, { kind, attributes, startTime: startedAt }, parent);
      const { traceId, spanId, traceFlags } = span.spanContext();
      const set = (further: Attributes): void => {
        attributes = { ...attributes, ...given(further) };
        span.setAttributes(given(further));
      };
      return {
        context: { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
        set,
        fail: (code) => {
          set({ 'error.type': code });
          span.setStatus({ code: SpanStatusCode.ERROR });
        },
        end: (endedAt = Date.now()) => {
          span.end(Math.max(startedAt, endedAt));
          const metric = httpMetricOf(start, attributes);
          if (metric) duration(metric, (endedAt - startedAt) / 1000, pick(attributes, HTTP_DIMENSIONS));
        },
      };
    },
    stop: async () => {
      const ended = Promise.allSettled([traces.shutdown(), meters.shutdown()]);
      await within(TELEMETRY_STOP_MS, ended, () => undefined);
    },
  };
}

function samplerOf({ sampler, samplerRatio }: TelemetrySettings): Sampler {
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(samplerRatio),
  };
  const root = (roots[sampler.replace(/^parentbased_/, '')] as () => Sampler)();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Counts losses and logs them, at most once in LOG_EVERY_MS. */
function countLosses(
  log: Logger,
  count: (spans: number, reason: DropReason) => void,
): (spans: number, reason: DropReason, error?: unknown) => void {
  let since = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (spans, reason, error) => {
    count(spans, reason);
    since += spans;
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    const why = error instanceof Error ? error.message.slice(0, MAX_TEXT) : undefined;
    log.warn({ dropped: since, reason, error: why }, 'spans were dropped');
    loggedAt = performance.now();
    since = 0;
  };
}

function remote({ traceId, spanId, sampled }: TraceContext) {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function httpMetricOf({ kind }: SpanStart, attributes: Attributes): string | undefined {
  if (attributes['http.request.method'] === undefined) return undefined;
  if (kind === 'server') return 'http.server.request.duration';
  return kind === 'client' ? 'http.client.request.duration' : undefined;
}

function given(attributes: Attributes): Record<string, string | number | boolean> {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Record<string, string | number | boolean>;
}

function pick(attributes: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(names.map((name) => [name, attributes[name]]));
}
