import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import stringWidth from 'string-width';
import { expect } from 'vitest';
import { runCli } from '../../cli/support/run-cli.ts';
import { onTerminal } from '../../support/terminal.ts';
import { masked } from './mask.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
export const EXPECTED = join(import.meta.dirname, 'expected');
export const WIDTHS = [60, 100, 200] as const;
/** A run in a pipe, and one on a terminal of each width. */
export const RUNS = 1 + WIDTHS.length;

/** One call: the same for every run, or another one for each. */
export type Call = (run: number) => readonly string[] | Promise<readonly string[]>;

interface Shown {
  /** The columns, or `in a pipe`. */
  on: string;
  code: number | null;
  text: string;
}

/** Runs a call in a pipe and on terminals of all widths, each at its end, and gives what is seen as one text. */
export async function screensOf(call: Call, env: Record<string, string>): Promise<string> {
  const shown: Shown[] = [];
  const piped = await runCli([...(await call(0))], { env, cwd: ROOT });
  const streams = [piped.stdout, piped.stderr && `standard error:\n${piped.stderr}`].filter(Boolean).join('\n');
  for (const [at, columns] of WIDTHS.entries()) {
    const { lines, code } = await onTerminal([...(await call(at + 1))], { columns, rows: 300, env, cwd: ROOT });
    shown.push({ on: `${columns}`, code, text: lines.flatMap((line) => wrapped(masked(line), columns)).join('\n') });
  }
  shown.push({ on: 'in a pipe', code: piped.code, text: masked(streams).trimEnd() });
  expect(piped.stdout).not.toContain('\u001b');
  return `$ aip ${masked((await call(0)).map(quoted).join(' '))}\n\n${together(shown).map(section).join('\n\n')}\n`;
}

/** The environment of a command that reads records: it reads them three hours later, so that their age has one width. */
export function threeHoursLater(env: Record<string, string>): Record<string, string> {
  return { ...env, NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'later.mjs')).href}` };
}

/** Compares with the stored screens of a command; `AIP_UPDATE_SCREENS=1` stores them instead. */
export async function expectScreens(command: string, ...screens: string[]): Promise<void> {
  await expectStored(join(EXPECTED, fileOf(command)), screens.join('\n\n'));
}

/** Compares with a stored file; `AIP_UPDATE_SCREENS=1` stores it instead. */
export async function expectStored(file: string, text: string): Promise<void> {
  if (process.env.AIP_UPDATE_SCREENS) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const stored = await readFile(file, 'utf8');
  expect(text, firstDifference(text, stored)).toBe(stored);
}

/** The first line that differs, for reports that show no more than a message. */
function firstDifference(text: string, stored: string): string {
  const [lines, others] = [text.split('\n'), stored.split('\n')];
  const longer = lines.length > others.length ? lines : others;
  const at = longer.findIndex((_, index) => lines[index] !== others[index]);
  return `line ${at + 1} is ${JSON.stringify(lines[at])}, stored is ${JSON.stringify(others[at])}`;
}

/** The file of a command's screens: `actions/list.txt`. */
export function fileOf(command: string): string {
  return `${command.replaceAll(' ', '/')}.txt`;
}

/** Equal screens are shown once. */
function together(shown: readonly Shown[]): Shown[] {
  const different: Shown[] = [];
  for (const each of shown) {
    const same = different.find(({ code, text }) => code === each.code && text === each.text);
    if (same) same.on += `, ${each.on}`;
    else different.push({ ...each });
  }
  return different;
}

function section({ on, code, text }: Shown): string {
  return `== ${on.replace(/(\d)(?=$|, in)/, '$1 columns')}${code === 0 ? '' : `, exit code ${code}`}\n${text}`;
}

/** The lines that a terminal makes of one; the mark shows where it broke it. */
export function wrapped(line: string, columns: number): string[] {
  const lines: string[] = [''];
  for (const character of line) {
    const last = lines.at(-1) as string;
    if (stringWidth(last + character) > columns) lines.push(character);
    else lines[lines.length - 1] = last + character;
  }
  return lines.map((text, at) => (at === lines.length - 1 ? text : `${text}↵`));
}

function quoted(word: string): string {
  return /^[\w@%+=:,./<>-]+$/.test(word) ? word : `'${word}'`;
}
