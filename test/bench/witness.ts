import { ATTACKS, type Attack, storeBacklog } from '../system/red-team/attacks.ts';
import { startTwoTenants, type TwoTenants } from '../system/red-team/fleet.ts';
import { HOSTILE_CAPABILITIES } from '../system/red-team/hostile-schemas.ts';
import { watchLoop } from './measure/loop-work.ts';
import { percentile } from './measure/percentile.ts';

const NONE: Attack = async () => () => undefined;
const SECONDS = Number(process.env.AIP_BENCH_SECONDS ?? 10);

/**
 * `npm run bench -- witness [NAME]`: each attack runs for a while (AIP_BENCH_SECONDS, default 10 s) beside a second tenant that calls one action after
 * the other. Prints how many of the witness' calls completed and failed, their times, and the longest work on the gateway's event loop in CPU.
 */
export async function witnessBench(): Promise<void> {
  const only = process.argv[3];
  const fleet = await startTwoTenants(HOSTILE_CAPABILITIES, { attackerDemo: true });
  try {
    await storeBacklog(fleet);
    const [gateway] = await fleet.dev.pids('aip-runtime', 'gateway');
    if (gateway === undefined) throw new Error('no gateway runs');
    const watched = await watchLoop(gateway);
    process.stdout.write('attack                              calls  failed    p50 ms    p99 ms    max ms   work ms\n');
    for (const [name, attack] of Object.entries({ none: NONE, ...ATTACKS })) {
      if (only !== undefined && name !== only) continue;
      await watched.longestMs();
      const end = await attack(fleet);
      const { times, failed } = await witness(fleet);
      await end();
      const work = await watched.longestMs();
      const figures = [percentile(times, 50), percentile(times, 99), Math.max(...times), work];
      process.stdout.write(
        `${name.padEnd(32)}${String(times.length).padStart(9)}${String(failed).padStart(8)}${figures.map((ms) => ms.toFixed(0).padStart(10)).join('')}\n`,
      );
    }
  } finally {
    await fleet.stop();
  }
}

/** Calls one action after the other until the time is over. */
async function witness(fleet: TwoTenants): Promise<{ times: number[]; failed: number }> {
  const until = performance.now() + SECONDS * 1000;
  const times: number[] = [];
  let failed = 0;
  while (performance.now() < until) {
    const begun = performance.now();
    await fleet.witnessed().catch(() => {
      failed += 1;
    });
    times.push(performance.now() - begun);
  }
  return { times, failed };
}
