import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { CLI } from './dev.ts';

/** A command on a pseudo-terminal. */
export interface TerminalRun {
  code: number | null;
  /** The lines of the screen and what scrolled off it, without colours, spaces at the ends and empty lines at the end. */
  lines: string[];
  /** The same as one text. */
  screen: string;
}

/** A command that is under way on a pseudo-terminal. */
export interface RunningTerminal {
  screen(): string;
  /** Types Ctrl-C. */
  interrupt(): void;
  type(text: string): void;
  ended: Promise<TerminalRun>;
  child: ChildProcess;
}

interface TerminalOptions {
  columns: number;
  rows?: number;
  env?: Record<string, string>;
  cwd?: string;
}

/** Runs `aip` on a pseudo-terminal of a size and waits for its end. */
export function onTerminal(args: readonly string[], options: TerminalOptions): Promise<TerminalRun> {
  return openOnTerminal(args, options).ended;
}

/** Starts `aip` on a pseudo-terminal of a size. */
export function openOnTerminal(args: readonly string[], options: TerminalOptions): RunningTerminal {
  const { columns, rows = 40 } = options;
  const command = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows} && exec ${command}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...withoutCi(process.env), TERM: 'xterm-256color', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  // What is typed while the command ends reaches nobody.
  child.stdin.on('error', () => undefined);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<TerminalRun>((done) => {
    child.once('close', (code) => {
      const lines = linesOf(text);
      done({ code, lines, screen: lines.join('\n') });
    });
  });
  return {
    screen: () => linesOf(text).join('\n'),
    interrupt: () => child.stdin.write('\u0003'),
    type: (typed) => child.stdin.write(typed),
    ended,
    child,
  };
}

/** Views are animated only where no continuous integration runs. */
function withoutCi({ CI: _, NO_COLOR: __, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

const ESCAPE = '\u001b';
/** One control sequence, or one character. */
const TOKEN = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]|${ESCAPE}[^[]|[^${ESCAPE}]`, 'gsu');
const MOVEMENT = new RegExp(`^${ESCAPE}\\[(\\d*)([A-Za-z])$`);

/** What a terminal without end shows of an output: line breaks, carriage returns, cursor movements and erasing are followed. */
export function linesOf(text: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
    const line = (lines[row] ?? '').padEnd(column);
    lines[row] = line.slice(0, column) + character + line.slice(column + character.length);
    column += character.length;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const found = MOVEMENT.exec(token);
    const count = Number(found?.[1] || 1);
    if (token === '\n') {
      row += 1;
      lines[row] ??= '';
    } else if (token === '\r') column = 0;
    else if (!token.startsWith(ESCAPE)) put(token);
    else if (found?.[2] === 'A') row = Math.max(0, row - count);
    else if (found?.[2] === 'B') row = Math.min(lines.length - 1, row + count);
    else if (found?.[2] === 'G') column = count - 1;
    else if (found?.[2] === 'K') lines[row] = found[1] === '2' ? '' : (lines[row] ?? '').slice(0, column);
    else if (found?.[2] === 'J') lines.splice(row + 1, lines.length);
  }
  const shown = lines.map((line) => stripVTControlCharacters(line).trimEnd());
  while (shown.at(-1) === '') shown.pop();
  return shown;
}
