import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli, startCli } from '../../cli/support/run-cli.ts';
import { onTerminal, openOnTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { masked } from './mask.ts';
import { expectStored, WIDTHS, wrapped } from './screen.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const SDK = pathToFileURL(join(ROOT, 'runtime', 'dist', 'connectors', 'sdk', 'index.js')).href;
/** Deep enough that a path from here is never shorter than the whole one, wherever the checkout is. */
const CWD = import.meta.dirname;
/** A start takes long on a busy machine, and there are two. */
const LIFE_MS = 600_000;
const LONG_MS = 150_000;

const FLEET = `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: demo}
spec: {connector: {type: demo, version: 1.0.0}, tenantId: acme}
---
apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: shop, annotations: {fleet.aip.dev/module: ./shop.js}}
spec: {connector: {type: shop, version: 1.0.0}, tenantId: acme}
`;
const SHOP = `import { capability, defineConnector, readOnly } from '${SDK}';
const say = capability({ id: 'cap:shop:say', input: { type: 'object' }, contract: readOnly(), run: () => ({}) });
export default defineConnector({ type: 'shop', configSchema: { type: 'object' }, capabilities: [say] });
`;

let folder: string;
beforeAll(async () => {
  // Not the folder of TMPDIR: lines break by the length of a path.
  folder = await mkdtemp('/tmp/aip-screens-');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

/** An `aip dev` that runs, whatever it prints to. */
interface Running {
  screen(): string;
  /** Types Ctrl-C and waits for the end; the exit code. */
  interrupt(): Promise<number | null>;
}

/** Where it prints to: a terminal of so many columns, or a pipe. */
interface Place {
  start(...args: string[]): Running;
  /** What a command shows that ends by itself. */
  ended(...args: string[]): Promise<string>;
  shown(text: string): string;
}

function terminalOf(columns: number): Place {
  const options = { columns, rows: 300, cwd: CWD };
  const shown = (text: string): string =>
    text
      .split('\n')
      .flatMap((line) => wrapped(line, columns))
      .join('\n');
  return {
    start: (...args) => {
      const terminal = openOnTerminal(args, options);
      return {
        screen: terminal.screen,
        interrupt: async () => {
          terminal.interrupt();
          return (await terminal.ended).code;
        },
      };
    },
    ended: async (...args) => {
      const { screen, code } = await onTerminal(args, options);
      return `${screen}\nexit code ${code}`;
    },
    shown,
  };
}

const pipe: Place = {
  start: (...args) => {
    const run = startCli(args, { cwd: CWD });
    return { screen: run.text, interrupt: async () => (await run.stop()).code };
  },
  ended: async (...args) => {
    const { stdout, stderr, code } = await runCli(args, { cwd: CWD });
    return `${stdout}${stderr.trimEnd()}\nexit code ${code}`;
  },
  shown: (text) => text,
};

const STAGE = /^[✓✗] (PostgreSQL|registry|gateway|control plane|hosts|connector of \w+) /;
const DRAINED = /^✓ \S+ has drained /;

/** What is seen, without what differs from run to run. Parts of the start end in any order, so they stand first, by name; so do hosts. */
function seen(screen: string, place: Place): string {
  const lines = masked(screen.trimEnd())
    .replaceAll(/(?<= )(\d+(\.\d)?m?s|\d+m(\d+s)?)(?=\.? |\.?$)/gm, '0.0s')
    .split('\n');
  const byName = (a: string, b: string): number => (a.slice(2) < b.slice(2) ? -1 : 1);
  const stages = lines.filter((line) => STAGE.test(line)).sort(byName);
  const others = lines.filter((line) => !STAGE.test(line));
  const drained = others.filter((line) => DRAINED.test(line)).sort(byName);
  const rest = others.map((line) => (DRAINED.test(line) ? (drained.shift() as string) : line));
  return place.shown([...stages, ...rest].join('\n'));
}

const PLACES: [name: string, place: Place][] = [
  ...WIDTHS.map((columns): [string, Place] => [`${columns} columns`, terminalOf(columns)]),
  ['pipe', pipe],
];

test.each(PLACES)(
  'aip dev has the stored screens from its first start to its end: %s',
  async (name, place) => {
    const file = (path: string): string => join(folder, path);
    const run = PLACES.findIndex(([other]) => other === name);
    const data = file(`run${run}`);
    const common = ['--data', data, '--gateway-port', '0', '--control-port', '0', '--log-level', 'none'];
    await writeFile(file('fleet.yaml'), FLEET);
    await writeFile(file('shop.js'), `${SHOP}const b = = 2;\n`);
    const scenes: [title: string, text: string][] = [];
    const take = (title: string, text: string): number => scenes.push([title, seen(text, place)]);

    const first = place.start('dev', '-f', file('fleet.yaml'), '--watch', ...common);
    // All at once: what is redrawn is erased while lines are written above it.
    const showing = (running: Running, ...all: RegExp[]): Promise<string> =>
      until(
        `the screen shows ${all.join(' and ')}`,
        () => {
          const screen = running.screen();
          return all.every((each) => each.test(screen)) && screen;
        },
        LONG_MS,
      );
    const started = await showing(first, /aip actions list/, /Ctrl-C ends it\./);
    take('the first start, with a module that does not load', started);

    // In one step, as editors do: a file that is half written is reported too.
    await writeFile(file('shop.new'), SHOP);
    await rename(file('shop.new'), file('shop.js'));
    const ready = place === pipe ? /^✓ ready$/m : /^✓ ready\. Ctrl-C ends it\.$/m;
    const healed = await showing(first, ready, /aip fleet status/, /aip actions list/, /^✓ shop: ready/m);
    take('the module is saved without its fault', healed);

    take('a second fleet on the folder', await place.ended('dev', ...common));

    expect(await first.interrupt()).toBe(0);
    take('Ctrl-C', first.screen());

    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const taken = await place.ended('dev', '--data', data, '--gateway-port', String(port), '--control-port', '0');
    await new Promise((done) => server.close(done));
    take('a port that is taken', taken);

    const second = place.start('dev', ...common);
    take('the next start, of what ran last', await showing(second, /aip actions list/, /Ctrl-C ends it\./));
    expect(await second.interrupt()).toBe(0);

    const text = scenes.map(([title, shown]) => `== ${title}\n${shown}\n`).join('\n');
    await expectStored(join(import.meta.dirname, 'dev', `${name.replace(' ', '-')}.txt`), text);
  },
  LIFE_MS,
);
