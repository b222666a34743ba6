import { submitAction } from '@aip/runtime/client';
import { getReceipts } from '@aip/runtime/internal/client';
import { type Gateway, openGateway } from '@aip/runtime/internal/gateway';
import { newId } from '@aip/runtime/internal/protocol';
import { openDeadline } from '@aip/runtime/internal/time';
import { followToEnd } from '../follow-session.js';
import type { DevView } from './dev-view.js';

const CAPABILITY = 'cap:demo:count';
const INPUT = { n: 5, interval_ms: 150 };

/** What the demo came to. */
export interface DemoOutcome {
  completed: boolean;
  firstChunkMs?: number | undefined;
}

/** Submits the streaming demo action with a bearer token, follows it to its end, and verifies its receipt chain. */
export async function runDemo(
  address: { url: string; token: string },
  view: DevView,
  signal: AbortSignal,
): Promise<DemoOutcome> {
  const gateway: Gateway = openGateway(address);
  const actionId = newId('action');
  const followView = view.demo(CAPABILITY, INPUT, actionId);
  let firstChunkMs: number | undefined;
  let answered = false;
  let refused: unknown;
  const ended = openDeadline(signal);
  const submitting = submitAction(
    gateway,
    { id: actionId, capabilityId: CAPABILITY, input: INPUT, mode: 'streaming' },
    { signal, attempts: 20 },
  ).then(
    () => {
      answered = true;
    },
    (error: unknown) => {
      refused = error;
      ended.abort();
    },
  );
  const status = await followToEnd(
    gateway,
    actionId,
    {
      ...followView,
      chunk: (chunk) => {
        firstChunkMs ??= performance.now();
        followView.chunk(chunk);
      },
    },
    { signal: ended.signal, mayBeMissing: () => !answered },
  ).finally(ended.clear);
  if (signal.aborted) return { completed: false, firstChunkMs };
  await submitting;
  if (refused !== undefined) throw refused;
  if (status) view.receipts(await getReceipts(gateway, actionId), status);
  return { completed: status?.state === 'completed', firstChunkMs };
}
