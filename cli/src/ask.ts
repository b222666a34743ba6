import { createInterface } from 'node:readline/promises';
import type { Ask } from './client/ask-input.js';
import { CliError } from './client/errors.js';

/** The user said no, or typed nothing more; nothing was done. */
export function declined(): CliError {
  return new CliError('cli.declined', 'Nothing was done.');
}

/** Is there a person to ask? Questions go to standard error, so that standard output may be a file. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Runs `use` with a way to ask. Fails with `cli.declined` at the end of input and with `cli.interrupted` at Ctrl-C. */
export async function asking<T>(use: (ask: Ask) => Promise<T>): Promise<T> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  let interrupted = false;
  terminal.once('close', () => closed.abort());
  terminal.once('SIGINT', () => {
    interrupted = true;
    terminal.close();
  });
  try {
    return await use((question) => terminal.question(question, { signal: closed.signal }));
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    process.stderr.write('\n');
    throw interrupted ? new CliError('cli.interrupted', 'Interrupted; nothing was done.') : declined();
  } finally {
    terminal.close();
  }
}
