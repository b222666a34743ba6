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
  readonly witness: TestClient;
  readonly witnessToken: string;
  /** Completes an action of the witness. */
  witnessed(): Promise<void>;
  stop(): Promise<void>;
}

const demoOf = (name: string, tenantId: string) => ({
  apiVersion: 'fleet.aip.dev/v1alpha1',
  kind: 'ConnectorInstance',
  metadata: { name, namespace: 'default' },
  spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId, replicas: 1 },
});

/** Starts the fleet; the attacker's connector has these capabilities, and with `attackerDemo` a demo connector of its own. */
export async function startTwoTenants(
  capabilities?: Capability[],
  options: { env?: Record<string, string>; attackerDemo?: boolean } = {},
): Promise<TwoTenants> {
  const host = await startExternalHost(capabilities);
  const demos = [demoOf('demo', WITNESS), ...(options.attackerDemo ? [demoOf('demo-2', 'demo')] : [])];
  const documents = [host.documents(), ...demos.map((demo) => JSON.stringify(demo))].join('\n---\n');
  const dev = await startDev({ documents, ...(options.env && { env: options.env }) });
  await host.register(dev);
  const tokenOf = async (tenant: string): Promise<string> =>
    (await readFile(join(dev.dataDir, 'tokens', tenant), 'utf8')).trim();
  const attackerToken = await tokenOf('demo');
  const witnessToken = await tokenOf(WITNESS);
  const witness = clientOf({ ready: dev.ready, token: witnessToken });
  return {
    dev,
    host,
    attacker: clientOf({ ready: dev.ready, token: attackerToken }),
    attackerToken,
    witness,
    witnessToken,
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
