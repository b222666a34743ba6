import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../../system/docs/blocks.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** Tests that run a block as it is printed, by a part of it. */
const RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ci && npx aip dev --demo': 'test/system/docs/readme.test.ts',
    'npx aip fleet status': 'test/system/docs/readme.test.ts',
    'helm install': 'test/system/e2e/guides.test.ts',
  },
  'docs/cli.md': {
    'aip actions submit cap:demo:count': 'test/system/docs/readme.test.ts',
    'npm run pack:cli': 'test/system/docs/readme.test.ts',
    'npm run pack:krew': 'test/system/docs/readme.test.ts',
  },
  'docs/connector.md': { 'aip-runtime describe': 'test/system/docs/readme.test.ts' },
  'docs/observability.md': { OTEL_EXPORTER_OTLP_ENDPOINT: 'test/system/docs/readme.test.ts' },
  'docs/providers/chatwoot.md': {
    '--with-simulators': 'test/system/docs/readme.test.ts',
    'webhooks send': 'test/system/docs/readme.test.ts',
  },
};

/** Blocks that no test runs as printed, and why. */
const NOT_RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'CONTRIBUTING.md': { 'npm test': 'is what runs this test' },
  'README.md': { 'npm test': 'is what runs this test' },
  'docs/cli.md': {
    'aip context add prod --from-cluster': 'needs a cluster; test/system/kube/cli runs its commands there',
    'crm-sync-aaaaaa-0': 'shows a cluster with a failed rollout, which test/system/kube/cli makes',
  },
  'docs/performance.md': {
    'npm run bench -- ': 'measures a quiet machine for minutes; test/structure/docs/bench-blocks checks the words',
  },
};

const ofDocument = (file: string): string[] => [...Object.keys(RUN[file] ?? {}), ...Object.keys(NOT_RUN[file] ?? {})];
const DOCUMENTS = [...new Set([...Object.keys(RUN), ...Object.keys(NOT_RUN)])];

test('every block of commands of these documents is run by a test, or says why not', () => {
  for (const file of DOCUMENTS) {
    const commands = blocksOf(join(ROOT, file)).filter(({ text }) => /^(\$ |npm|npx|aip|printf|[A-Z_]+=)/m.test(text));
    const unknown = commands.filter(({ text }) => !ofDocument(file).some((words) => text.includes(words)));
    expect(
      unknown.map(({ line, text }) => `${file}:${line} ${text.split('\n')[0]}`),
      'add a test that runs it',
    ).toEqual([]);
    for (const words of ofDocument(file))
      expect(
        commands.some(({ text }) => text.includes(words)),
        `${file} has no block with ${words}`,
      ).toBe(true);
  }
});

test('the tests that are named read the documents', () => {
  for (const [file, blocks] of Object.entries(RUN))
    for (const [words, suite] of Object.entries(blocks)) {
      const text = readFileSync(join(ROOT, suite), 'utf8');
      expect(text.includes(file.split('/').at(-1) as string), `${suite} reads no ${file} (${words})`).toBe(true);
    }
});
