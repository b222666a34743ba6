import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { screenSvg } from './screen-svg.ts';

/**
 * Records `npx aip dev --demo` on a terminal into docs/demo.cast (asciicast 2), and its last screen into docs/demo.txt and docs/demo.svg, the
 * picture of the readme. Needs `script` of util-linux and tmux.
 */
const WIDTH = 104;
const HEIGHT = 36;
const READY_SECONDS = 60;

const folder = mkdtempSync(join(tmpdir(), 'aip-demo-'));
const data = join(folder, 'data');
const command = `npx aip dev --demo --log-level warn --data ${data} --gateway-port 0 --control-port 0`;
const tmux = (...args: string[]): string => spawnSync('tmux', ['-L', 'aip-demo', ...args], { encoding: 'utf8' }).stdout;

/** The recording names neither this machine's folders nor the data folder, which is not the usual one here. */
const clean = (text: string): string =>
  text
    .replaceAll(new RegExp(`\\s--data\\s+${data}`, 'g'), '')
    .replaceAll(data, '~/.local/state/aip/dev')
    .replaceAll(process.cwd(), '.');
const capture = (...more: string[]): string => tmux('capture-pane', '-t', 'demo', '-p', ...more);

const recorded = `script -q -f -e --log-out ${folder}/out --log-timing ${folder}/timing -c '${command}'`;
tmux('new-session', '-d', '-s', 'demo', '-x', String(WIDTH), '-y', String(HEIGHT), recorded);
const isReady = (): boolean => capture().includes('aip actions list');
for (let waited = 0; !isReady() && waited < READY_SECONDS; waited += 1) spawnSync('sleep', ['1']);
if (!isReady()) throw new Error(capture());
const screen = capture();
const colored = capture('-e');
tmux('send-keys', '-t', 'demo', 'C-c');
spawnSync('sleep', ['4']);
tmux('kill-server');

const output = readFileSync(join(folder, 'out'));
const begin = output.indexOf('\n') + 1;
let at = 0;
let position = begin;
const events = readFileSync(join(folder, 'timing'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [seconds, bytes] = line.split(' ').map(Number);
    at += seconds as number;
    const text = output.subarray(position, position + (bytes as number)).toString('utf8');
    position += bytes as number;
    return JSON.stringify([Number(at.toFixed(3)), 'o', clean(text)]);
  });
const header = JSON.stringify({ version: 2, width: WIDTH, height: HEIGHT, title: 'npx aip dev --demo' });
writeFileSync('docs/demo.cast', `${[header, ...events].join('\n')}\n`);
writeFileSync('docs/demo.txt', `$ npx aip dev --demo --log-level warn\n${clean(screen).trimEnd()}\n`);
const lines = clean(colored).trimEnd().split('\n');
writeFileSync(
  'docs/demo.svg',
  screenSvg(['$ npx aip dev --demo --log-level warn', ...lines], WIDTH, 'A run of npx aip dev --demo'),
);
rmSync(folder, { recursive: true, force: true });
