import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** One fenced block of the tutorial: its language, what stands behind it, its text. */
interface Block {
  language: string;
  note: string;
  text: string;
}

let folder: string;
let background: ChildProcess | undefined;
beforeAll(async () => {
  // Inside of the checkout, as the tutorial says, so that the packages are found.
  folder = await mkdtemp(join(ROOT, '.tutorial-'));
});
afterAll(async () => {
  background?.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+) ?([^\n]*)\n(.*?)^```$/gms)].map(
    ([, language = '', note = '', text = '']) => ({
      language,
      note,
      text,
    }),
  );
}

/** A data folder and ports of its own: the tutorial may run beside other fleets. */
const environment = () => ({
  ...process.env,
  NO_COLOR: '1',
  AIP_DEV_DATA: join(folder, 'data'),
  AIP_CONFIG: join(folder, 'none.yaml'),
});

function run(script: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  return new Promise((done) => child.once('close', (code) => done({ code, output })));
}

test('every block of the tutorial works, from an empty folder to receipts verified offline', async () => {
  const blocks = blocksOf(await readFile(join(ROOT, 'docs', 'tutorial.md'), 'utf8'));
  expect(blocks.length).toBeGreaterThan(8);
  let output = '';
  for (const { language, note, text } of blocks) {
    const file = /file=(\S+)/.exec(note)?.[1];
    if (file !== undefined) await writeFile(join(folder, file), text);
    else if (note === 'background') await start(text.trim());
    else if (note === 'expect') for (const line of text.trim().split('\n')) expect(output).toContain(line);
    else if (language === 'sh') {
      const found = await run(text);
      output = found.output;
      expect(found.code, `${text}\n${output}`).toBe(Number(/exit=(\d+)/.exec(note)?.[1] ?? 0));
    }
  }
}, 300_000);

async function start(command: string): Promise<void> {
  let output = '';
  background = spawn('bash', ['-c', `exec ${command} --gateway-port 0 --control-port 0`], {
    cwd: folder,
    env: environment(),
  });
  for (const stream of [background.stdout, background.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  await until('the fleet is ready', () => {
    if (background?.exitCode !== null) throw new Error(output);
    return output.includes('✓ ready after');
  });
}
