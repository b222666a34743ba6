import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openGateway } from '#runtime/client/gateway.js';
import { submitAction } from '#runtime/client/submit.js';
import { CLI, startDev } from '../support/dev.ts';
import { until } from '../support/until.ts';
import { percentile } from './measure/percentile.ts';
import { scaled } from './measure/scaled.ts';

const SAVES = scaled(Number(process.env.AIP_BENCH_SAVES ?? 10));
const SDK = pathToFileURL(join(CLI, '..', '..', '..', 'runtime', 'dist', 'connectors', 'sdk', 'index.js')).href;

const module = (word: string): string => `
import { capability, defineConnector, readOnly } from '${SDK}';
export default defineConnector({
  type: 'shop',
  configSchema: { type: 'object' },
  capabilities: [
    capability({
      id: 'cap:shop:say',
      input: { type: 'object' },
      contract: readOnly(),
      run: async () => ({ word: '${word}' }),
    }),
  ],
});
`;

/** How long it takes under `aip dev` from saving a connector module until its new code answers an action. */
export async function devBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-bench-dev-'));
  const file = join(folder, 'shop.js');
  await writeFile(file, module('first'));
  const documents = JSON.stringify({
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: { name: 'shop', annotations: { 'fleet.aip.dev/module': file } },
    spec: { connector: { type: 'shop', version: '1.0.0' }, tenantId: 'demo' },
  });
  const dev = await startDev({ documents, args: ['--watch'] });
  try {
    const gateway = openGateway({ url: dev.ready.gateway_url, token: dev.token });
    const says = async (word: string): Promise<boolean> => {
      const { result } = await submitAction(gateway, { capabilityId: 'cap:shop:say', input: {} });
      return (result?.output as { word?: string } | undefined)?.word === word;
    };
    await until('the first code answers', () => says('first'));
    const times: number[] = [];
    for (let save = 1; save <= SAVES; save += 1) {
      const begun = performance.now();
      await writeFile(file, module(`save ${save}`));
      await until('the new code answers', () => says(`save ${save}`), 60_000);
      times.push(performance.now() - begun);
    }
    process.stdout.write(
      `${SAVES} saves until the new code answers: p50 ${percentile(times, 50).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms\n`,
    );
  } finally {
    await dev.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
