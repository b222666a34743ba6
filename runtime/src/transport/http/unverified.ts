import type { IncomingMessage } from 'node:http';
import { RequestAborted } from './body.js';
import { budgetOf } from './body-budget.js';

/**
 * Waits for the turn in which a body may be parsed and verified whose sender may be anybody; sources are addresses of connections. Call the
 * returned function when that is done. Throws BodiesOverloaded and RequestAborted.
 */
export async function unverifiedTurn(request: IncomingMessage, bytes: number): Promise<() => void> {
  const { socket } = request;
  const end = await budgetOf(request).turns.enter(bytes, socket.remoteAddress ?? '');
  if (!socket.destroyed) return end;
  end();
  throw new RequestAborted('the sender went away');
}
