import { expect, test } from 'vitest';
import { readTelemetrySettings } from '#runtime/transport/telemetry/settings.js';
import { observabilityWith, parseTraceparent, traceOfAction } from '#runtime/transport/telemetry/trace-context.js';

const read = (variables: Record<string, string>) => readTelemetrySettings(variables, 'aip-gateway');
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318/' };

test('telemetry is off without an endpoint, with an empty one, and when it is disabled', () => {
  expect(read({ OTEL_SERVICE_NAME: 'mine' })).toBeUndefined();
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeUndefined();
  expect(read({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
});

test('the standard variables are read, with their defaults', () => {
  expect(read(ENDPOINT)).toEqual({
    endpoint: 'http://collector.test:4318',
    headers: {},
    serviceName: 'aip-gateway',
    sampler: 'parentbased_always_on',
    samplerRatio: 1,
    metricIntervalMs: 60_000,
  });
  const given = read({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-team=fleet',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  });
  expect(given).toMatchObject({
    headers: { authorization: 'Basic YTpi', 'x-team': 'fleet' },
    serviceName: 'mine',
    sampler: 'parentbased_traceidratio',
    samplerRatio: 0.25,
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=ok,secret-without-name'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=a%0d%0aevil'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_METRIC_EXPORT_INTERVAL', '1'],
])('a wrong %s (%s) is refused by name', (name, value) => {
  expect(() => read({ ...ENDPOINT, [name]: value })).toThrow(name);
});

test('a trace context is read from headers and actions, and an invalid one is none', () => {
  const [trace_id, span_id] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  expect(parseTraceparent(`00-${trace_id}-${span_id}-01`)).toEqual({
    traceId: trace_id,
    spanId: span_id,
    sampled: true,
  });
  expect(parseTraceparent(`00-${trace_id}-${span_id}-00`)?.sampled).toBe(false);
  for (const wrong of [
    undefined,
    '',
    `ff-${trace_id}-${span_id}-01`,
    `00-${'0'.repeat(32)}-${span_id}-01`,
    `00-${trace_id}-01`,
  ])
    expect(parseTraceparent(wrong)).toBeUndefined();
  const unsampled = observabilityWith(
    { fields: { team: 'a' } },
    { traceId: trace_id, spanId: span_id, sampled: false },
  );
  expect(unsampled).toEqual({ trace_id, span_id, fields: { team: 'a', trace_flags: '00' } });
  expect(traceOfAction({ observability: unsampled })?.sampled).toBe(false);
  expect(observabilityWith(unsampled, { traceId: trace_id, spanId: span_id, sampled: true })).toEqual({
    trace_id,
    span_id,
    fields: { team: 'a' },
  });
  expect(traceOfAction({ observability: { trace_id: 'x', span_id } })).toBeUndefined();
});
