import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  entryProblems,
  fileCircles,
  folderCircles,
  type ImportGraph,
  importGraph,
  layerProblems,
  placeProblems,
  roomCircles,
} from './import-graph.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const GRAPH = importGraph(ROOT);

/** What each place may import from; every place may import itself. ARCHITECTURE.md says why. */
const ALLOWED: Record<string, readonly string[]> = {
  'runtime/protocol': [],
  'runtime/time': ['runtime/protocol'],
  'runtime/postgres': ['runtime/protocol', 'runtime/time'],
  'runtime/registry': ['runtime/protocol', 'runtime/time', 'runtime/postgres'],
  'runtime/transport': ['runtime/protocol', 'runtime/time'],
  'runtime/client': ['runtime/protocol', 'runtime/time'],
  'runtime/connectors': ['runtime/protocol', 'runtime/time', 'runtime/transport'],
  'runtime/gateway': ['runtime/protocol', 'runtime/time', 'runtime/postgres', 'runtime/registry', 'runtime/transport'],
  'runtime/host': ['runtime/protocol', 'runtime/time', 'runtime/postgres', 'runtime/transport', 'runtime/connectors'],
  'runtime/main': ['runtime/gateway', 'runtime/host', 'runtime/transport', 'runtime/protocol', 'runtime/connectors'],
  'runtime/internal': [
    'runtime/client',
    'runtime/protocol',
    'runtime/time',
    'runtime/postgres',
    'runtime/registry',
    'runtime/transport',
  ],
  controller: ['runtime/internal'],
  cli: ['controller', 'runtime/client', 'runtime/internal'],
};

/** The layers within the packages, the lowest first: a folder or file imports what is named before it. ARCHITECTURE.md has the picture. */
const LAYERS: Record<string, readonly string[]> = {
  'runtime/src/gateway': [
    'actions/approval/authority actions/approval/record actions/transaction/record claims dispatch edge endpoints/manifest events/redact ingress/checks ingress/limits records/stock stop-steps',
    'actions/approval/authorization actions/transaction/terms approvals/authority endpoints/broker endpoints/catalog events/log metrics records/receipts records/replay schema',
    'actions/record callbacks events/selection ingress/events maintenance records/audit records/observations transactions/find',
    'actions/approval/decision actions/approval/events actions/capabilities actions/read actions/transaction/step events/cursor events/page ingress/chunks transactions/routes',
    'actions/approval/request actions/finish approvals/read events/answers events/follow ingress/ingress',
    'actions/approval/withdraw actions/execute approvals/request approvals/routes events/queries ingress/routes sessions',
    'actions/accept actions/cancel approvals/decide endpoints/service endpoints/websocket events/routes',
    'actions/open actions/routes approvals/answers approvals/expiry endpoints/resources peers transactions/reconciler transactions/request',
    'approvals/open config endpoints/openapi messages',
    'start',
    'main',
  ],
  'runtime/src/host': [
    'approvals arrival background event-log journal manifest metrics own-name schema secrets',
    'config database',
    'central credentials describe',
    'execution gate lease outbox',
    'lifecycle pinned-work pruning server webhook',
    'health testing',
    'start',
    'stop-steps',
    'main',
  ],
  'controller/src': ['control-plane kube reconcile', 'api', 'fleet', 'trust', 'cluster', 'local main', 'internal'],
  'controller/src/cluster': [
    'objects',
    'provision',
    'describe',
    'context observed',
    'steps',
    'instance trust',
    'process',
  ],
  'controller/src/local': [
    'failure redefine-capability stages state',
    'module process',
    'describe gather',
    'admission apply',
    'reconcile-instance',
    'loop run',
    'fleet',
  ],
  'cli/src': [
    'client curl follow-session interrupt output',
    'ask progress',
    'confirm connector duration exit-codes input kube',
    'contexts trust',
    'command fleet',
    'doctor tokens',
    'ui',
    'logs',
    'dev program records submit-and-follow wait-for-end watch-actions webhooks',
    'command-bases',
    'commands report-error',
    'main',
  ],
};

type Source = readonly [file: string, code: string];

/** The source files below a folder, by their paths from the root. */
function sourcesBelow(root: string, folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [join(folder, name), readFileSync(join(root, folder, name), 'utf8')]);
}

/** Relative imports of tools that lead out of their folder. */
function toolProblems(sources: readonly Source[]): string[] {
  return sources.flatMap(([file, code]) =>
    [...code.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
      .map(([, name = '']) => join(dirname(file), name))
      .filter((target) => !target.startsWith('tools/'))
      .map((target) => `${file} imports ${target}`),
  );
}

test('imports run one way: protocol <- postgres <- registry <- gateway | controller <- cli; transport knows the protocol alone', () => {
  expect(placeProblems(GRAPH, ALLOWED)).toEqual([]);
});

test('packages import each other only through their entry points', () => {
  expect(entryProblems(GRAPH)).toEqual([]);
});

test.each(Object.entries(LAYERS))('the folders of %s import downwards', (root, layers) => {
  expect(layerProblems(GRAPH, root, layers)).toEqual([]);
});

test('scripts use tools, and tools import neither scripts nor tests', () => {
  expect(toolProblems(sourcesBelow(ROOT, 'tools'))).toEqual([]);
  const planted = `import { a } from '../../../scripts/build.ts';\nimport { b } from '../programs/tools.ts';\n`;
  expect(toolProblems([['tools/kube-cluster/images/planted.ts', planted]])).toEqual([
    'tools/kube-cluster/images/planted.ts imports scripts/build.ts',
  ]);
});

test('no file imports itself over others', () => {
  expect(fileCircles(GRAPH)).toEqual([]);
});

test('no folder imports itself over others', () => {
  expect(folderCircles(GRAPH)).toEqual([]);
});

test.each(Object.keys(LAYERS))('no room of %s imports itself over others, with everything in its folders', (root) => {
  expect(roomCircles(GRAPH, root)).toEqual([]);
});

/** A graph in which one more file imports another. */
function planted(file: string, ...targets: string[]): ImportGraph {
  return new Map([...GRAPH, [file, [...(GRAPH.get(file) ?? []), ...targets]]]);
}

test.each([
  ['runtime/src/gateway/planted.ts', 'runtime/src/host/lifecycle.ts'],
  ['runtime/src/host/planted.ts', 'runtime/src/registry/registry.ts'],
  ['runtime/src/transport/http/planted.ts', 'runtime/src/registry/registry.ts'],
  ['runtime/src/protocol/planted.ts', 'runtime/src/postgres/pool.ts'],
  ['runtime/src/client/planted.ts', 'runtime/src/transport/http/server.ts'],
  ['runtime/src/internal/planted.ts', 'runtime/src/gateway/messages.ts'],
  ['controller/src/cluster/planted.ts', 'runtime/src/registry/registry.ts'],
  ['controller/src/cluster/planted.ts', 'cli/src/main.ts'],
])('a planted import of %s from %s is found', (file, target) => {
  const [, , place] = target.split('/');
  const to = target.startsWith('runtime') ? `runtime/${place}` : target.split('/')[0];
  expect(placeProblems(planted(file, target), ALLOWED)).toEqual([`${file} imports ${to}`]);
});

test.each(Object.entries(LAYERS))(
  'within %s a planted import upwards is found, and a folder without a layer',
  (root, layers) => {
    const lowest = `${root}/${(layers[0] as string).split(' ')[0]}/planted.ts`;
    const highest = `${root}/${(layers.at(-1) as string).split(' ').at(-1)}/planted.ts`;
    expect(layerProblems(planted(lowest, highest), root, layers)).toEqual([`${lowest} imports ${highest}`]);
    const unplaced = `${root}/unplaced/planted.ts`;
    expect(layerProblems(planted(unplaced), root, layers)).toEqual([`${unplaced} is in no layer`]);
    expect(layerProblems(GRAPH, root, [...layers, 'missing'])).toEqual([`${root}/missing does not exist`]);
  },
);

test('planted circles of files and of folders are found', () => {
  const graph: ImportGraph = new Map([
    ['a/src/one/x.ts', ['a/src/two/y.ts']],
    ['a/src/two/y.ts', []],
    ['a/src/two/z.ts', ['a/src/one/w.ts']],
    ['a/src/one/w.ts', []],
    ['a/src/open.ts', ['a/src/one/x.ts', 'a/src/two/y.ts']],
  ]);
  expect(fileCircles(graph)).toEqual([]);
  expect(folderCircles(graph)).toEqual(['a/src/one -> a/src/two -> a/src/one']);
  expect(fileCircles(new Map([...graph, ['a/src/two/y.ts', ['a/src/one/x.ts']]]))).toEqual([
    'a/src/one/x.ts -> a/src/two/y.ts -> a/src/one/x.ts',
  ]);
  expect(folderCircles(new Map([...graph, ['a/src/one/w.ts', ['a/src/open.ts']]]))).toContain(
    'a/src/one -> a/src/open.ts -> a/src/one',
  );
});

test('a planted circle of rooms over their subfolders is found', () => {
  const root = 'runtime/src/gateway';
  const file = `${root}/actions/record/planted.ts`;
  expect(roomCircles(planted(file, `${root}/approvals/decide/vote.ts`), root)).toEqual([
    expect.stringMatching(/(^|-> )actions -> approvals -> actions$|^approvals -> actions -> approvals$/),
  ]);
});

test('the graph is read from the sources: relative, lazy and package imports, none of a comment', () => {
  const root = mkdtempSync(join(tmpdir(), 'aip-imports-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const plant = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  plant('runtime/src/protocol/json.ts', `/** import '../host/x.js' */\nimport { readFileSync } from 'node:fs';\n`);
  plant('runtime/src/host/x.ts', `import { a } from '../protocol/json.js';\nawait import('./view.js');\n`);
  plant('runtime/src/host/view.tsx', '');
  plant('runtime/package.json', '{"exports":{"./x":{"default":"./dist/host/x.js"}}}');
  plant('cli/src/main.ts', `import type { X } from '@aip/runtime/x';\n`);
  const graph = importGraph(root);
  expect(Object.fromEntries(graph)).toEqual({
    'runtime/src/protocol/json.ts': [],
    'runtime/src/host/x.ts': ['runtime/src/protocol/json.ts', 'runtime/src/host/view.tsx'],
    'runtime/src/host/view.tsx': [],
    'cli/src/main.ts': ['runtime/src/host/x.ts'],
  });
  expect(placeProblems(graph, ALLOWED)).toEqual(['cli/src/main.ts imports runtime/host']);
  expect(entryProblems(graph)).toEqual([]);
  plant('cli/src/deep.ts', `import { a } from '@aip/runtime/protocol/json.js';\nawait import('@aip/runtime');\n`);
  expect(entryProblems(importGraph(root))).toEqual([
    'cli/src/deep.ts imports @aip/runtime/protocol/json.js, which is not an entry point',
    'cli/src/deep.ts imports @aip/runtime, which is not an entry point',
  ]);
});
