import type { IncomingMessage } from 'node:http';
import { RequestAborted } from './body.js';
import { budgetOf } from './body-budget.js';
import type { Turn } from './turns.js';

/**
 * Waits for the turn in which a body may be parsed and verified whose sender may be anybody; sources are addresses of connections. Throws
 * BodiesOverloaded and RequestAborted.
 */
export async function unverifiedTurn(request: IncomingMessage, bytes: number): Promise<Turn> {
  const { socket } = request;
  const turn = await budgetOf(request).turns.enter(bytes, socket.remoteAddress ?? '');
  if (!socket.destroyed) return turn;
  turn.end();
  throw new RequestAborted('the sender went away');
}
