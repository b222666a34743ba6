import { env } from '../settings/env.js';

/** The samplers of OTEL_TRACES_SAMPLER. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Largest text of OTEL_EXPORTER_OTLP_HEADERS, in bytes. */
const MAX_HEADER_BYTES = 16_384;
const DEFAULT_METRIC_INTERVAL_MS = 60_000;

/** Where traces and metrics go and which ones. Times in milliseconds. */
export interface TelemetrySettings {
  /** Base address of the collector; `/v1/traces` and `/v1/metrics` are below it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of traces that the ratio samplers record, 0 to 1. */
  readonly samplerRatio: number;
  readonly metricIntervalMs: number;
}

/**
 * Reads the standard OTEL_ variables (docs/configuration.md#telemetry-otel_). Undefined without an endpoint, with an empty one, and
 * under OTEL_SDK_DISABLED. Throws StartupRefused, which names the variable and never its value.
 */
export function readTelemetrySettings(
  source: Readonly<Record<string, string | undefined>>,
  service: string,
): TelemetrySettings | undefined {
  const given = Object.entries(source).filter(([name, value]) => name.startsWith('OTEL_') && value?.trim() !== '');
  const vars = env('OTEL_', Object.fromEntries(given), 'aip.telemetry.config');
  if (vars.bool('SDK_DISABLED')) return undefined;
  const endpoint = vars.url('EXPORTER_OTLP_ENDPOINT', { schemes: ['http', 'https'] });
  if (!endpoint) return undefined;
  const protocol = vars.text('EXPORTER_OTLP_PROTOCOL') ?? 'http/json';
  if (!protocol.startsWith('http/'))
    throw vars.refuse('EXPORTER_OTLP_PROTOCOL', 'must be http/json: this program sends OTLP over HTTP');
  const name = vars.text('TRACES_SAMPLER') ?? 'parentbased_always_on';
  const sampler = SAMPLERS.find((known) => known === name);
  if (!sampler) throw vars.refuse('TRACES_SAMPLER', `must be one of ${SAMPLERS.join(', ')}`);
  const ratio = Number(vars.text('TRACES_SAMPLER_ARG') ?? '1');
  if (!(ratio >= 0 && ratio <= 1)) throw vars.refuse('TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  return {
    endpoint: endpoint.href.replace(/\/$/, ''),
    headers: headersOf(vars),
    serviceName: vars.text('SERVICE_NAME', { maxBytes: 256 }) ?? service,
    sampler,
    samplerRatio: ratio,
    metricIntervalMs: vars.int('METRIC_EXPORT_INTERVAL', DEFAULT_METRIC_INTERVAL_MS, { min: 100, max: 3_600_000 }),
  };
}

/** `name=value,name=value`, the values percent-encoded. */
function headersOf(vars: ReturnType<typeof env>): Record<string, string> {
  const variable = 'EXPORTER_OTLP_HEADERS';
  const items = (vars.text(variable, { maxBytes: MAX_HEADER_BYTES }) ?? '').split(',').filter((item) => item.trim());
  return Object.fromEntries(
    items.map((item, index) => {
      const at = item.indexOf('=');
      const name = item.slice(0, Math.max(at, 0)).trim();
      const value = decoded(item.slice(at + 1).trim());
      if (!/^[!#$%&'*+.^_`|~\w-]{1,256}$/.test(name) || value === undefined || !/^[\x20-\x7e]*$/.test(value))
        throw vars.refuse(variable, `must be NAME=VALUE pairs separated by commas; pair ${index + 1} is not one`);
      return [name, value];
    }),
  );
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
