import type { AipError } from '../../protocol/errors.js';
import type { Facts } from './facts.js';

/**
 * A refusal of work that the host cannot take now, unless it took this action before and answers it without a call: it executes it
 * now, or its journal has the result. Asks the journal only when there is a refusal to avoid.
 */
export async function unlessTaken<E extends AipError>(
  refusal: E,
  { action, running, recorded }: Facts,
): Promise<E | undefined> {
  if (running) return undefined;
  return action && (await recorded(action)) ? undefined : refusal;
}
