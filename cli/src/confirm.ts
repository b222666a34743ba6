import { createInterface } from 'node:readline/promises';
import { CliError, EXIT, UsageError } from './client/errors.js';

/** The user said no; nothing was done. */
class Declined extends CliError {
  readonly code = 'cli.declined';
  constructor() {
    super('Nothing was done.', EXIT.failed);
  }
}

/** Asks on a terminal; elsewhere only --yes goes on. Throws Declined, UsageError. */
export async function confirmed(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError('This needs a confirmation, and there is no terminal to ask on.', 'Add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new Declined();
}
