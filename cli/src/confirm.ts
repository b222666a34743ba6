import { asking, canAsk, declined } from './ask.js';
import { UsageError } from './client/errors.js';

/** Asks on a terminal; elsewhere only --yes continues. Fails with `cli.declined`; throws UsageError. */
export async function confirmed(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!canAsk()) throw new UsageError('This needs a confirmation, and there is no terminal to ask on.', 'Add --yes.');
  const answer = await asking((ask) => ask(`${question} [y/N] `));
  if (!/^y(es)?$/i.test(answer.trim())) throw declined();
}
