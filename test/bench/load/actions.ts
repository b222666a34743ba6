import { newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { closedLoop, type LoopOrder, postJson, serveLoad } from './closed-loop.ts';

/** A load of signed sync actions. */
export interface LoadOrder extends LoopOrder {
  seed: string;
}

serveLoad<LoadOrder>(({ seed, ...loop }) => {
  const key = signingKeyFromSeed(seed);
  const principal = { id: 'agent:bench', kind: 'agent' as const };
  return closedLoop(loop, async (pool) => {
    const action = {
      id: newId('action'),
      capability_id: 'cap:demo:echo',
      input: { text: 'hello' },
      mode: 'sync' as const,
    };
    const envelope = await signEnvelope(newEnvelope({ action }, {}, { clock: Date.now }), principal, key);
    const answer = (await postJson(pool, '/aip/v1/messages', envelope)) as {
      body?: { action_result?: { status: string } };
    };
    return answer.body?.action_result?.status === 'completed' ? undefined : JSON.stringify(answer);
  });
});
