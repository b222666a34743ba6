import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { until } from '../../../../support/until.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { end, type HostProcess, startHost } from '../../support/host-process.ts';
import type { Testbed } from '../../support/testbed.ts';

/** A second replica of a testbed's instance, or a host of another instance on the same database. */
export interface SecondHost {
  host: HostProcess;
  stop(): Promise<void>;
}

export async function startSecond(testbed: Testbed, env: Record<string, string> = {}): Promise<SecondHost> {
  const P = 'AIP_CONNECTOR_HOST_';
  const seed = newSeedHex();
  const seedFile = join(testbed.folder, `seed-${seed.slice(0, 8)}`);
  await writeFile(seedFile, seed, { mode: 0o600 });
  const control: ControlPlane = await startControlPlane(signingKeyFromSeed(seed).did, 60_000);
  const host = await startHost({
    ...testbed.env,
    [`${P}REPLICA_ID`]: 'crepl_018f3c0e6b7a7c1d9e2f001122330b02',
    [`${P}SIGNING_SEED_FILE`]: seedFile,
    [`${P}CONTROL_ENDPOINT`]: control.url,
    [`${P}CONTROL_DID`]: control.key.did,
    ...env,
  });
  await until('the second host is ready', async () => (await fetch(`${host.url}/ready`)).status === 200);
  return {
    host,
    stop: async () => {
      await end(host);
      await control.close();
    },
  };
}
