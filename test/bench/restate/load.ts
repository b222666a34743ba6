import { closedLoop, type LoopOrder, postJson, serveLoad } from '../load/closed-loop.ts';

/** A load of calls of one handler. */
export interface CallOrder extends LoopOrder {
  path: string;
}

serveLoad<CallOrder>(({ path, ...loop }) =>
  closedLoop(loop, async (pool) => {
    const answer = (await postJson(pool, path, { text: 'hello' })) as { echoed?: { text?: string } };
    return answer.echoed?.text === 'hello' ? undefined : JSON.stringify(answer);
  }),
);
