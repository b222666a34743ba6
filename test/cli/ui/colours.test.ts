import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI } from '../../support/dev.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour is such a sequence
const COLOUR = /\u001b\[[0-9;]*m/;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-colours-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Everything that a command writes to a pseudo-terminal. */
function onTerminal(args: string, more: Record<string, string>): Promise<string> {
  const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...own } = process.env;
  const env = {
    ...own,
    TERM: 'xterm-256color',
    XDG_STATE_HOME: folder,
    AIP_CONFIG: join(folder, 'contexts.yaml'),
    ...more,
  };
  const child = spawn('script', ['-qefc', `'${process.execPath}' '${CLI}' ${args}`, '/dev/null'], { env });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return new Promise((done) => child.once('close', () => done(text)));
}

test.each(['doctor', 'actins list'])(
  'aip %s has colours on a terminal, and none with NO_COLOR or on a dumb one',
  async (args) => {
    const plain = await onTerminal(args, { NO_COLOR: '1' });
    expect(plain).not.toMatch(COLOUR);
    expect(await onTerminal(args, { TERM: 'dumb' })).not.toMatch(COLOUR);
    const coloured = await onTerminal(args, {});
    expect(coloured).toMatch(COLOUR);
    expect(coloured.replace(new RegExp(COLOUR, 'g'), '')).toBe(plain);
  },
);
