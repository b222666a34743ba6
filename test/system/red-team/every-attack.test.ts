import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { ATTACKS, storeBacklog, TAKEN_EVENT } from './attacks.ts';
import { startTwoTenants, type TwoTenants } from './fleet.ts';
import { HOSTILE_CAPABILITIES } from './hostile-schemas.ts';

/** Calls of the witness, of each kind, that must complete while an attack runs. */
const CALLS = 5;

let fleet: TwoTenants;
beforeAll(async () => {
  fleet = await startTwoTenants(HOSTILE_CAPABILITIES, { attackerDemo: true });
  await storeBacklog(fleet, 2000);
});
afterAll(() => fleet?.stop());

/** An event that the witness's connector publishes is in the witness's log. */
async function published(): Promise<boolean> {
  const url = `${fleet.dev.ready.gateway_url}/aip/v1/events?kinds=${TAKEN_EVENT.kind}&limit=1000`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${fleet.witnessToken}` } });
  const { events } = (await response.json()) as { events: { id: string; data: { of?: string } }[] };
  return events.some(({ id, data }) => id === TAKEN_EVENT.id && data.of === 'witness');
}

test.each(Object.entries(ATTACKS))(
  '%s: the calls of another tenant complete meanwhile, those in the background too',
  async (_name, attack) => {
    const end = await attack(fleet);
    try {
      for (let call = 0; call < CALLS; call += 1) await fleet.witnessed();
      for (let call = 0; call < CALLS; call += 1) {
        const { id, status } = await fleet.witness.submit({
          capability_id: 'cap:demo:echo',
          input: { text: 'x' },
          mode: 'async',
        });
        expect(status).toBe(200);
        await until(
          'the action in the background completes',
          async () => (await fleet.witness.result(id)).status === 'completed',
        );
      }
      expect((await fetch(`${fleet.dev.ready.gateway_url}/health`)).status).toBe(200);
    } finally {
      await end();
    }
  },
);

test('an event whose id another tenant’s connector took first reaches the log of its tenant', async () => {
  const end = await (ATTACKS['event ids of others'] as (typeof ATTACKS)[string])(fleet);
  const input = { text: 'mine', publish_event: { ...TAKEN_EVENT, data: { of: 'witness' } } };
  expect((await fleet.witness.submit({ capability_id: 'cap:demo:echo', input })).status).toBe(200);
  expect(await until('the event is in the log', published)).toBe(true);
  await end();
});
