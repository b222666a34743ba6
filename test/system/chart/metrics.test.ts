import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openKubeMetrics } from '#controller/kube/metrics.js';
import { ENVELOPES_RECEIVED, FAMILIES } from '#runtime/gateway/metrics/families.js';
import { metricsText, newMetrics } from '#runtime/host/metrics/metrics.js';

const chart = join(import.meta.dirname, '..', '..', '..', 'charts', 'aip-fleet');
const hostMetrics = metricsText(newMetrics(), { ready: true, storageReady: true, inFlight: 0 });
const controllerMetrics = new Registry();
openKubeMetrics(controllerMetrics);
const KNOWN = new Set([
  ...controllerMetrics.getMetricsAsArray().map(({ name }) => name),
  ...Object.keys(FAMILIES),
  ENVELOPES_RECEIVED,
  ...[...hostMetrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string),
]);

/** Families named in a text; a histogram's buckets are part of it. */
const namesIn = (text: string): string[] => [
  ...new Set((text.match(/\baip_[a-z_]+/g) ?? []).map((name) => name.replace(/_seconds_bucket$/, '_seconds'))),
];

test('the dashboard shows metrics that exist, each panel with a place of its own', () => {
  const dashboard = JSON.parse(readFileSync(join(chart, 'dashboards', 'aip-fleet.json'), 'utf8')) as {
    panels: { id: number; type: string; targets?: { expr: string }[]; gridPos: { x: number; y: number; w: number } }[];
    templating: { list: { name: string }[] };
  };
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(15);
  expect(namesIn(expressions.join('\n')).filter((name) => !KNOWN.has(name))).toEqual([]);
  for (const panel of dashboard.panels) expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
  expect(new Set(dashboard.panels.map(({ gridPos }) => `${gridPos.x} ${gridPos.y}`)).size).toBe(
    dashboard.panels.length,
  );
  expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'namespace']);
});

test('the alerts use metrics that exist', () => {
  const text = readFileSync(join(chart, 'templates', 'monitoring', 'alerts.yaml'), 'utf8');
  const names = namesIn(text.replace(/^.*summary:.*$/gm, ''));
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !KNOWN.has(name))).toEqual([]);
});
