import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Action, ActionResult } from '#runtime/protocol/types.js';
import type { TestClient } from '../../support/client.ts';
import type { Chance } from './chance.ts';

/** One action that was sent, and what its client heard. */
export interface Sent {
  readonly action: Partial<Action> & { id: string; capability_id: string };
  /** The gateway answered 200: it accepted the action. */
  acknowledged: boolean;
  /** The terminal result that came with an answer. */
  result?: ActionResult;
}

const CALLERS = 12;

/** Sends actions of every kind until `signal` fires, each until a gateway accepted it; returns all that were sent. */
export async function load(clients: readonly TestClient[], chance: Chance, signal: AbortSignal): Promise<Sent[]> {
  const sent: Sent[] = [];
  const caller = async (): Promise<void> => {
    while (!signal.aborted) {
      const one: Sent = { action: someAction(chance), acknowledged: false };
      sent.push(one);
      await send(one, clients, chance, signal);
      await pause(chance.between(0, 40));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return sent;
}

function someAction(chance: Chance): Sent['action'] {
  const id = newId('action');
  const mode = chance.pick(['sync', 'async'] as const);
  switch (chance.between(0, 5)) {
    case 0:
    case 1:
      return { id, capability_id: 'cap:payments:pay', mode, input: { amount: 5 }, idempotency_key: `key:${id}` };
    case 2:
      return { id, capability_id: 'cap:payments:book', mode, input: { amount: 7 } };
    case 3:
      return { id, capability_id: 'cap:demo:count', mode: 'streaming', input: { n: 8, interval_ms: 20 } };
    case 4: {
      const event = { id: newId('event'), kind: 'demo.note', occurred_at: formatTime(Date.now()), data: { of: id } };
      return { id, capability_id: 'cap:demo:echo', mode, input: { publish_event: event } };
    }
    default:
      return { id, capability_id: 'cap:demo:echo', mode, input: { text: id } };
  }
}

/** Asks one gateway after the other for the same action until one accepts it; the action keeps its id, so that nothing is done twice. */
async function send(one: Sent, clients: readonly TestClient[], chance: Chance, signal: AbortSignal): Promise<void> {
  for (;;) {
    const client = chance.pick(clients);
    const answer = await client.submit(one.action).catch(() => undefined);
    if (answer?.status === 200) {
      const { action_result: result } = (answer.body as { body: { action_result?: ActionResult } }).body;
      one.acknowledged = true;
      if (result?.status === 'completed' || result?.status === 'failed') one.result = result;
      return;
    }
    if (signal.aborted) return;
    await pause(chance.between(50, 250));
  }
}
