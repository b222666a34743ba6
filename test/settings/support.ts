import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import { onTestFinished } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway/support/process.ts';
import { clientOf, type TestClient } from '../support/client.ts';
import type { DevReady } from '../support/dev.ts';

const TOKEN = 'the token of the settings';

/** A gateway process with a fleet, and a client of its tenant; ended when the test finishes. */
export interface SetGateway extends GatewayProcess {
  readonly client: TestClient;
  readonly key: SigningKey;
  /** The sum of a metric over its labels. */
  metric(name: string): Promise<number>;
}

/** Starts a gateway process on a database with these variables (without prefix) beside those that a fleet needs. */
export async function startSetGateway(
  databaseUrl: string,
  settings: Record<string, string>,
  tenantId = 'tenant-a',
): Promise<SetGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-settings-'));
  const seed = newSeedHex();
  await writeFile(join(folder, 'seed'), seed, { mode: 0o600 });
  const gateway = await startGatewayProcess({
    POSTGRES_URL: databaseUrl,
    CONNECTOR_REGISTRY_URL: databaseUrl,
    CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
    CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    CONNECTOR_FLEET_ALLOW_HTTP: 'true',
    CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS: 'true',
    NATIVE_BEARER_TOKEN: TOKEN,
    NATIVE_PRINCIPAL_SCOPES: '*',
    NATIVE_TENANT_ID: tenantId,
    SERVICE_ID: 'service:central',
    DRAIN_MS: '0',
    ...settings,
  });
  onTestFinished(async () => {
    await gateway.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  return {
    ...gateway,
    client: clientOf({ ready: { gateway_url: gateway.url } as DevReady, token: TOKEN }),
    key: signingKeyFromSeed(seed),
    metric: async (name) => {
      const text = await (
        await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
      ).text();
      const samples = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
      return samples.reduce((sum, [, value]) => sum + Number(value), 0);
    },
  };
}
