import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { openKubeMetrics } from '#controller/kube/metrics.js';
import { ENVELOPES_RECEIVED, FAMILIES } from '#runtime/gateway/metrics/families.js';
import { metricsText, newMetrics } from '#runtime/host/metrics/metrics.js';

const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'metrics.md'), 'utf8');

/** Families with their types, in the tables of one chapter of the document. */
function documented(chapter: string, whole = document): [string, string][] {
  const text = whole.split('\n## ').find((part) => part.startsWith(chapter)) as string;
  return [...text.matchAll(/^\| `(aip_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => [name as string, type as string]);
}

const sorted = (families: Iterable<readonly [string, string]>): (readonly [string, string])[] =>
  [...families].sort(([a], [b]) => a.localeCompare(b));

test('docs/metrics.md has every family of the gateway with its type, and no other', () => {
  const families = Object.entries(FAMILIES).map(([name, { type }]) => [name, type] as const);
  expect(sorted(documented('Gateway'))).toEqual(sorted([...families, [ENVELOPES_RECEIVED, 'counter']]));
});

test('docs/metrics.md has the eight families of a host in their order', () => {
  const text = metricsText(newMetrics(), { ready: true, storageReady: true, inFlight: 0 });
  const families = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
  expect(families).toHaveLength(8);
  expect(documented('Connector host')).toEqual(families);
});

test('docs/metrics.md has every family of the controller with its type and labels, and the bounds of its times', async () => {
  const registry = new Registry();
  openKubeMetrics(registry);
  const metrics = registry.getMetricsAsArray();
  const families = metrics.map(({ name, type }) => [name, String(type)] as const);
  expect(sorted(documented('Controller'))).toEqual(sorted(families));
  let times = 0;
  for (const metric of metrics) {
    const { name, labelNames, upperBounds } = metric as unknown as {
      name: string;
      labelNames: string[];
      upperBounds?: number[];
    };
    const labels = labelNames.map((label) => `\`${label}\``).join(', ') || 'none';
    expect(document).toMatch(new RegExp(`^\\| \`${name}\` \\| \\w+ \\| ${labels} \\|`, 'm'));
    if (!upperBounds) continue;
    times += 1;
    const bounds = upperBounds.filter(Number.isFinite);
    expect(document).toContain(`bounds at ${bounds.slice(0, -1).join(', ')} and ${bounds.at(-1)} seconds`);
  }
  expect(times).toBe(2);
});

test('a planted family without a row is found, and a row without a family', () => {
  const families = documented('Gateway');
  const [[name]] = families as [[string, string]];
  const without = document
    .split('\n')
    .filter((line) => !line.startsWith(`| \`${name}\` |`))
    .join('\n');
  expect(documented('Gateway', without)).toEqual(families.filter(([each]) => each !== name));
  const more = document.replace('\n## Gateway', '\n## Gateway\n| `aip_planted` | counter |');
  expect(documented('Gateway', more)).toContainEqual(['aip_planted', 'counter']);
});
