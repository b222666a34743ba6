import { expect, test } from 'vitest';
import { readControllerConfig } from '#controller/cluster/process/config.js';

const REQUIRED = {
  AIP_CONTROLLER_NAMESPACE: 'aip-system',
  AIP_CONTROLLER_POD_NAME: 'aip-controller-x',
  AIP_CONTROLLER_RELEASE: 'aip',
  AIP_CONTROLLER_TRUST_DOMAIN: 'fleet.test',
  AIP_CONTROLLER_DATABASE_URL: 'postgres://aip:secret@database.test/aip?sslmode=verify-full',
  AIP_CONTROLLER_RUNTIME_IMAGE: 'registry.test/aip-runtime:1',
};

test('hosts get the collector and the sampler of the controller, never its headers', () => {
  const { hostTelemetry } = readControllerConfig({
    ...REQUIRED,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_SERVICE_NAME: 'controller',
    AIP_CONTROLLER_HOST_OTLP_HEADERS_SECRET: 'otlp-headers',
  });
  expect(hostTelemetry).toEqual({
    variables: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318', OTEL_TRACES_SAMPLER: 'traceidratio' },
    headersSecret: 'otlp-headers',
  });
});

test('without an endpoint hosts get no telemetry', () => {
  const { hostTelemetry } = readControllerConfig({ ...REQUIRED, OTEL_TRACES_SAMPLER: 'traceidratio' });
  expect(hostTelemetry).toBeUndefined();
});
