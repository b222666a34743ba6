import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActionResult, Capability } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { type ExternalHost, startExternalHost } from '../../support/external-host.ts';

/** The tenant whose calls must not notice what another tenant, or a stranger, does. */
const WITNESS = 'witness';

/** A fleet of two tenants: `demo` attacks with a connector of its own, `witness` has the demo connector. */
export interface TwoTenants {
  readonly dev: Dev;
  readonly host: ExternalHost;
  readonly attacker: TestClient;
  readonly attackerToken: string;
  /** Completes an action of the witness. */
  witnessed(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the fleet; the attacker's connector has these capabilities. */
export async function startTwoTenants(capabilities?: Capability[], env?: Record<string, string>): Promise<TwoTenants> {
  const host = await startExternalHost(capabilities);
  const demo = {
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: { name: 'demo', namespace: 'default' },
    spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId: WITNESS, replicas: 1 },
  };
  const dev = await startDev({ documents: `${host.documents()}\n---\n${JSON.stringify(demo)}`, ...(env && { env }) });
  await host.register(dev);
  const tokenOf = async (tenant: string): Promise<string> =>
    (await readFile(join(dev.dataDir, 'tokens', tenant), 'utf8')).trim();
  const attackerToken = await tokenOf('demo');
  const witness = clientOf({ ready: dev.ready, token: await tokenOf(WITNESS) });
  return {
    dev,
    host,
    attacker: clientOf({ ready: dev.ready, token: attackerToken }),
    attackerToken,
    witnessed: async () => {
      const { status, body } = await witness.submit({ capability_id: 'cap:demo:echo', input: { text: 'still here' } });
      const result = (body as { body?: { action_result?: ActionResult } }).body?.action_result;
      if (result?.status !== 'completed') throw new Error(`the witness got ${status}: ${JSON.stringify(body)}`);
    },
    stop: async () => {
      await dev.stop();
      await host.close();
    },
  };
}
