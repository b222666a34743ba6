import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { gatewayUrls } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import type { LoadOrder } from './actions.ts';
import { type LoadReport, openLoad } from './run-load.ts';
import { WARM_UP } from './warm-up.ts';

/** An `aip dev` whose gateways trust the signer of a load. */
export interface SignedFleet {
  readonly dev: Dev;
  /** Signed sync actions, `inFlight` at a time, dealt to the first `gateways` of its gateways; default: all. */
  load(inFlight: number, seconds: number, gateways?: number): Promise<LoadReport>;
  /** A load that is not measured: until the client, each gateway and each host has compiled what an action runs. */
  warmUp(): Promise<void>;
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
  const client = openLoad<LoadOrder>(join(import.meta.dirname, 'actions.ts'));
  return {
    dev,
    load: (inFlight, seconds, used = urls.length) => client.run({ seed, urls: urls.slice(0, used), inFlight, seconds }),
    warmUp: async () => {
      for (const url of urls) await client.run({ seed, urls: [url], ...WARM_UP });
    },
    stop: async () => {
      client[Symbol.dispose]();
      await dev.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
