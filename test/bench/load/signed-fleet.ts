import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { gatewayUrls } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { type LoadReport, runLoad } from './run-load.ts';

/** An `aip dev` whose gateways trust the signer of a load. */
export interface SignedFleet {
  readonly dev: Dev;
  /** Signed sync actions, `inFlight` at a time, dealt to the gateways. */
  load(inFlight: number, seconds: number): Promise<LoadReport>;
  stop(): Promise<void>;
}

/** Starts the demo fleet of two hosts with so many gateways. */
export async function startSignedFleet(gateways = 1): Promise<SignedFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-bench-'));
  const seed = newSeedHex();
  const signers = join(folder, 'signers.json');
  const signer_did = signingKeyFromSeed(seed).did;
  const trusted = [{ signer_did, principal_id: 'agent:bench', tenant_id: 'demo', scopes: ['*'] }];
  await writeFile(signers, JSON.stringify(trusted), { mode: 0o600 });
  const dev = await startDev({ args: ['--trusted-signers', signers, '--gateways', String(gateways)] });
  const urls = await gatewayUrls(dev);
  return {
    dev,
    load: (inFlight, seconds) => runLoad(join(import.meta.dirname, 'actions.ts'), { seed, urls, inFlight, seconds }),
    stop: async () => {
      await dev.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
