import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Block, blocksOf } from '../../system/docs/blocks.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** Tests that run a block as it is printed, by a part of it. */
const RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ci && npx aip dev --demo': 'test/system/docs/readme.test.ts',
    'docs/examples/greeter.yaml': 'test/system/docs/readme.test.ts',
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
  'docs/performance.md': Object.fromEntries(
    ['followers', 'gateways', 'growth', 'retention', 'idle', 'outage', 'deliveries', 'cli'].map((bench) => [
      `npm run bench -- ${bench}`,
      'test/system/docs/readme.test.ts',
    ]),
  ),
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
    'npm run bench -- compare': 'installs another system from npm; test/structure/docs/bench-blocks checks the words',
  },
};

const ofDocument = (file: string): string[] => [...Object.keys(RUN[file] ?? {}), ...Object.keys(NOT_RUN[file] ?? {})];
const DOCUMENTS = [...new Set([...Object.keys(RUN), ...Object.keys(NOT_RUN)])];

/** Blocks of commands that no test is said to run, and words that are in no block. */
function blockProblems(file: string, blocks: readonly Block[], known: readonly string[]): string[] {
  const commands = blocks.filter(({ text }) => /^(\$ |npm|npx|aip|printf|[A-Z_]+=)/m.test(text));
  return [
    ...commands
      .filter(({ text }) => !known.some((words) => text.includes(words)))
      .map(({ line, text }) => `${file}:${line} ${text.split('\n')[0]}: add a test that runs it`),
    ...known
      .filter((words) => !commands.some(({ text }) => text.includes(words)))
      .map((words) => `${file} has no block with ${words}`),
  ];
}

/** Blocks whose test, by the texts of the tests, does not read their document. */
function testProblems(run: typeof RUN, textOf: (suite: string) => string): string[] {
  return Object.entries(run).flatMap(([file, blocks]) =>
    Object.entries(blocks)
      .filter(([, suite]) => !textOf(suite).includes(file.split('/').at(-1) as string))
      .map(([words, suite]) => `${suite} reads no ${file} (${words})`),
  );
}

test('every block of commands of these documents is run by a test, or says why not', () => {
  expect(DOCUMENTS.flatMap((file) => blockProblems(file, blocksOf(join(ROOT, file)), ofDocument(file)))).toEqual([]);
});

test('the tests that are named read the documents', () => {
  expect(testProblems(RUN, (suite) => readFileSync(join(ROOT, suite), 'utf8'))).toEqual([]);
});

test('a planted block that no test runs is found, words of no block, and a test that reads another document', () => {
  const blocks = [
    { text: 'npx aip known', line: 3 },
    { text: 'npx aip planted\nnpx aip more', line: 9 },
    { text: 'apiVersion: v1', line: 20 },
  ];
  expect(blockProblems('planted.md', blocks, ['aip known', 'aip gone'])).toEqual([
    'planted.md:9 npx aip planted: add a test that runs it',
    'planted.md has no block with aip gone',
  ]);
  expect(testProblems({ 'planted.md': { 'aip known': 'a.test.ts' } }, () => "read('other.md')")).toEqual([
    'a.test.ts reads no planted.md (aip known)',
  ]);
});
