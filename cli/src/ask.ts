import { createInterface } from 'node:readline/promises';
import type { Ask } from './client/ask-input.js';
import { CliError, EXIT } from './client/errors.js';

/** The user said no, or typed nothing more; nothing was done. */
export class Declined extends CliError {
  readonly code = 'cli.declined';
  constructor() {
    super('Nothing was done.', EXIT.failed);
  }
}

/** Ctrl-C at a question; nothing was done. */
class InterruptedAtQuestion extends CliError {
  readonly code = 'cli.interrupted';
  constructor() {
    super('Interrupted; nothing was done.', EXIT.interrupted);
  }
}

/** Is there a person to ask? Questions go to standard error, so that standard output may be a file. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Runs `use` with a way to ask. Throws Declined at the end of input and InterruptedAtQuestion at Ctrl-C. */
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
    throw interrupted ? new InterruptedAtQuestion() : new Declined();
  } finally {
    terminal.close();
  }
}
