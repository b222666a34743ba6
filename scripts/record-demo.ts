import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Records `npx aip dev --demo` on a terminal into docs/demo.cast (asciicast 2) and its last screen into docs/demo.txt. Needs `script` of
 * util-linux and tmux.
 */
const WIDTH = 104;
const HEIGHT = 34;
const RUN_SECONDS = 9;

const folder = mkdtempSync(join(tmpdir(), 'aip-demo-'));
const data = join(folder, 'data');
const command = `npx aip dev --demo --data ${data} --gateway-port 0 --control-port 0`;
const tmux = (...args: string[]): string => spawnSync('tmux', ['-L', 'aip-demo', ...args], { encoding: 'utf8' }).stdout;

/** The recording names neither this machine's folders nor the data folder's random name. */
const clean = (text: string): string => text.replaceAll(data, '~/.local/state/aip/dev').replaceAll(process.cwd(), '.');

const recorded = `script -q -f -e --log-out ${folder}/out --log-timing ${folder}/timing -c '${command}'`;
tmux('new-session', '-d', '-s', 'demo', '-x', String(WIDTH), '-y', String(HEIGHT), recorded);
spawnSync('sleep', [String(RUN_SECONDS)]);
const screen = tmux('capture-pane', '-t', 'demo', '-p');
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
writeFileSync('docs/demo.txt', `$ npx aip dev --demo\n${clean(screen).trimEnd()}\n`);
rmSync(folder, { recursive: true, force: true });
