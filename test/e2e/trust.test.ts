import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { describeFleet } from './support/describe-fleet.ts';
import { underLoad } from './support/load.ts';

/** A rotation lasts as long as old and new are both trusted, and as kubelets take to bring files up to date. */
const ROTATION_MS = 300_000;

describeFleet('rotations', (release) => {
  const trust = (key: string): Promise<string> =>
    release.kubectl('get', 'configmap', 'aip-trust', '-o', `jsonpath={.data.${key.replaceAll('.', '\\.')}}`);

  test('the keys of gateway and control plane rotate with actions in flight', async () => {
    const dids = (): Promise<string[]> => Promise.all([trust('gateway-dids'), trust('control-plane-dids')]);
    const before = await dids();
    await underLoad(release, async () => {
      for (const key of ['gateway', 'control-plane']) expect((await release.aip('trust', 'rotate', key)).code).toBe(0);
      await until(
        'only the new keys are trusted',
        async () => (await dids()).every((text, n) => text.trim().split('\n').length === 1 && text !== before[n]),
        ROTATION_MS,
      );
    });
    await release.ready('demo', 2);
  }, 400_000);

  test('the authority rotates with actions in flight', async () => {
    const before = await trust('ca.crt');
    await underLoad(release, async () => {
      expect((await release.aip('trust', 'rotate', 'ca')).code).toBe(0);
      await until(
        'only the new authority is trusted',
        async () => {
          const now = await trust('ca.crt');
          return now !== before && now.split('BEGIN CERTIFICATE').length === 2 && !before.includes(now.slice(40, 200));
        },
        ROTATION_MS,
      );
    });
    await release.ready('demo', 2);
  }, 400_000);
});
