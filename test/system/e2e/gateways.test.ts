import { expect, test } from 'vitest';
import { cancelAction, getAction } from '#runtime/client/actions.js';
import { followAction } from '#runtime/client/follow.js';
import { submitAction } from '#runtime/client/submit.js';
import { newId } from '#runtime/protocol/ids.js';
import { describeFleet } from './support/describe-fleet.ts';
import { directGateway } from './support/direct-gateway.ts';
import { needsThisMachine } from './support/this-machine.ts';

describeFleet('two gateways', (release) => {
  test.skipIf(needsThisMachine('two gateways by the addresses of their Pods'))(
    'what one took is followed, and cancelled, at the other',
    async () => {
      const [first, second] = (await release.pods('gateway')) as [string, string];
      const one = await directGateway(release, first);
      const other = await directGateway(release, second);
      try {
        const id = newId('action');
        const input = { n: 1000, interval_ms: 50 };
        const submitted = submitAction(one.gateway, { id, capabilityId: 'cap:demo:count', mode: 'streaming', input });
        const sequences: number[] = [];
        for await (const item of followAction(other.gateway, id, { mayBeMissing: () => true })) {
          if (item.kind !== 'chunk') continue;
          sequences.push(Number(item.chunk.sequence));
          if (sequences.length === 20) await cancelAction(other.gateway, id, 'enough');
        }
        await submitted.catch(() => undefined);
        expect(sequences.length).toBeGreaterThanOrEqual(20);
        expect(sequences).toEqual(sequences.map((_, n) => (sequences[0] as number) + n));
        for (const { gateway } of [one, other])
          expect(await getAction(gateway, id)).toMatchObject({ state: 'cancelled' });
      } finally {
        await Promise.all([one.close(), other.close()]);
      }
    },
  );
});
