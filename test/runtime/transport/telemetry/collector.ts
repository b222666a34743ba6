import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A span as the collector received it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly pid: number;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A data point of a histogram or counter as the collector received it. */
export interface ReceivedPoint {
  readonly service: string;
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
}

/** An OTLP collector in a process of its own. */
export interface Collector {
  readonly url: string;
  behave(how: 'well' | 'hang' | 'nonsense' | 'unavailable' | 'reset'): Promise<void>;
  requests(): Promise<{ path: string; headers: Record<string, string>; behavior: string; body: Batch }[]>;
  spans(): Promise<ReceivedSpan[]>;
  points(): Promise<ReceivedPoint[]>;
  end(): Promise<void>;
}

interface Value {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
}
interface RawSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes: Value[];
}
interface RawPoint {
  attributes: Value[];
  count?: number | string;
  asDouble?: number;
  asInt?: number | string;
}
interface RawMetric {
  name: string;
  unit: string;
  histogram?: { dataPoints: RawPoint[] };
  sum?: { dataPoints: RawPoint[] };
}
interface Batch {
  resourceSpans?: { resource: { attributes: Value[] }; scopeSpans: { spans: RawSpan[] }[] }[];
  resourceMetrics?: { resource: { attributes: Value[] }; scopeMetrics: { metrics: RawMetric[] }[] }[];
}

/** Starts a collector that answers well. */
export async function startCollector(): Promise<Collector> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'collector-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const requests: Collector['requests'] = async () =>
    (await (await fetch(`${url}/received`)).json()) as Awaited<ReturnType<Collector['requests']>>;
  return {
    url,
    requests,
    behave: async (how) => void (await fetch(`${url}/behave`, { method: 'POST', body: how })),
    spans: async () => (await requests()).flatMap(({ body }) => spansOf(body)),
    points: async () => (await requests()).flatMap(({ body }) => pointsOf(body)),
    end: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function spansOf({ resourceSpans = [] }: Batch): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service, 'process.pid': pid } = plain(resource.attributes);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: service as string,
        pid: pid as number,
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
        startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        failed: span.status?.code === 2,
        attributes: plain(span.attributes),
      })),
    );
  });
}

function pointsOf({ resourceMetrics = [] }: Batch): ReceivedPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, unit, histogram, sum }) =>
        [...(histogram?.dataPoints ?? []), ...(sum?.dataPoints ?? [])].map((point) => ({
          service: plain(resource.attributes)['service.name'] as string,
          metric: name,
          unit,
          attributes: plain(point.attributes),
          count: Number(point.count ?? point.asInt ?? point.asDouble),
        })),
      ),
    ),
  );
}

function plain(values: Value[]): Record<string, unknown> {
  return Object.fromEntries(
    values.map(({ key, value }) => {
      const { intValue } = value;
      return [key, intValue === undefined ? Object.values(value)[0] : Number(intValue)];
    }),
  );
}
