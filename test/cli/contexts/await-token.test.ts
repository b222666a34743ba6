import { expect, test } from 'vitest';
import { awaitToken } from '#cli/contexts/await-token.js';
import { GatewayRefused, GatewayUnreachable } from '#runtime/client/errors.js';

const refused = (status: number): Error =>
  new GatewayRefused({ code: 'auth.any', message: 'no', category: 'auth', retryable: false }, status);

/** A gateway that answers with these one after the other, the last one permanently; undefined is an answer without an error. */
function asked(answers: (Error | undefined)[]): { ask: () => Promise<void>; times: () => number } {
  let times = 0;
  return {
    ask: async () => {
      const answer = answers[Math.min(times, answers.length - 1)];
      times += 1;
      if (answer) throw answer;
    },
    times: () => times,
  };
}

test.each<[string, (Error | undefined)[], string, number, number]>([
  ['a token that is known', [undefined], 'known', 1, 0],
  ['a token that may not list', [refused(403)], 'known', 1, 0],
  ['a token that becomes known', [refused(401), refused(401), undefined], 'known', 3, 1],
  ['no gateway', [new GatewayUnreachable('https://gw.test', new Error('away'))], 'unasked', 1, 0],
])('%s', async (_what, answers, state, times, waits) => {
  const gateway = asked(answers);
  let waited = 0;
  const say = (): void => {
    waited += 1;
  };
  expect(await awaitToken(gateway.ask, say, { pollMs: 1 })).toBe(state);
  expect([gateway.times(), waited]).toEqual([times, waits]);
});

test('gives up in the end', async () => {
  expect(await awaitToken(asked([refused(401)]).ask, () => undefined, { pollMs: 1, longestMs: 5 })).toBe('unknown');
});
