import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Pool } from '#runtime/postgres/pool.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { principalEntry } from '../../runtime/gateway/support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../../runtime/gateway/support/process.ts';
import { clientOf, type TestClient } from '../../support/client.ts';
import type { DevReady } from '../../support/dev.ts';

const TOKEN = 'the token of the settings';
const OTHER_TOKEN = 'the token of the principals file';
/** The tenant whose credential is in the principals file. */
export const OTHER_TENANT = 'tenant-b';

/** A gateway process with a fleet, and a client of its tenant; ended when the test finishes. */
export interface SetGateway extends GatewayProcess {
  readonly client: TestClient;
  /** A client of OTHER_TENANT, which the principals file of the process names. */
  readonly otherClient: TestClient;
  /** The bearer token of `client`. */
  readonly token: string;
  readonly key: SigningKey;
  /** The sum of a metric over its labels. */
  metric(name: string): Promise<number>;
}

/** Starts a gateway process on a database with these variables (without prefix) beside those that a fleet needs; undefined leaves one out. */
export async function startSetGateway(
  databaseUrl: string,
  settings: Record<string, string | undefined>,
  tenantId = 'tenant-a',
): Promise<SetGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-settings-'));
  const seed = newSeedHex();
  await writeFile(join(folder, 'seed'), seed, { mode: 0o600 });
  const principals = [principalEntry(OTHER_TOKEN, { tenant_id: OTHER_TENANT, scopes: ['*'] })];
  await writeFile(join(folder, 'principals'), JSON.stringify(principals), { mode: 0o600 });
  const variables: Record<string, string | undefined> = {
    POSTGRES_URL: databaseUrl,
    CONNECTOR_REGISTRY_URL: databaseUrl,
    CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
    CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    CONNECTOR_FLEET_ALLOW_HTTP: 'true',
    CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS: 'true',
    NATIVE_BEARER_TOKEN: TOKEN,
    NATIVE_PRINCIPAL_SCOPES: '*',
    NATIVE_TENANT_ID: tenantId,
    PRINCIPALS_FILE: join(folder, 'principals'),
    SERVICE_ID: 'service:central',
    DRAIN_MS: '0',
    ...settings,
  };
  const given = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const gateway = await startGatewayProcess(Object.fromEntries(given));
  onTestFinished(async () => {
    await gateway.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const ready = { gateway_url: gateway.url } as DevReady;
  return {
    ...gateway,
    client: clientOf({ ready, token: TOKEN }),
    otherClient: clientOf({ ready, token: OTHER_TOKEN }),
    token: TOKEN,
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

/** Connections of a program, or of one process, to the database of the pool whose statements wait for a lock. */
export async function waitingFor(pool: Pool, program: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*) AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ ('^' || $1 || '( [0-9a-f]{8})?$') AND wait_event_type = 'Lock'`,
    [program],
  );
  return rows[0]?.n ?? 0;
}
