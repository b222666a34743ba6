import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { describeFleet } from './support/describe-fleet.ts';
import { underLoad } from './support/load.ts';

/** A rotation lasts as long as old and new are both trusted, and as kubelets take to bring files up to date. */
const ROTATION_MS = 1_500_000;

describeFleet('rotations', (release) => {
  const trust = (key: string): Promise<string> =>
    release.kubectl('get', 'configmap', 'aip-trust', '-o', `jsonpath={.data.${key.replaceAll('.', '\\.')}}`);
  const trusted = async () => ({
    dids: await Promise.all([trust('gateway-dids'), trust('control-plane-dids')]),
    authority: await trust('ca.crt'),
  });

  test('the keys of gateway and control plane and the authority rotate, all at once, with actions in flight', async () => {
    const before = await trusted();
    await underLoad(release, async () => {
      for (const what of ['gateway', 'control-plane', 'ca'])
        expect((await release.aip('trust', 'rotate', what)).code).toBe(0);
      await until(
        'only what is new is trusted',
        async () => {
          const { dids, authority } = await trusted();
          const oneEach = dids.every((text) => text.trim().split('\n').length === 1);
          const oneAuthority = authority.split('BEGIN CERTIFICATE').length === 2;
          return (
            oneEach &&
            oneAuthority &&
            dids.every((text, n) => text !== before.dids[n]) &&
            authority !== before.authority
          );
        },
        ROTATION_MS,
      );
    });
    await release.ready('demo', 2);
    expect((await release.aip('doctor')).code).toBe(0);
  }, 1_800_000);
});
