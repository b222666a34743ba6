import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Pool } from 'undici';
import { newLifecycleRequest, signValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, type SigningKey } from '#runtime/protocol/signing.js';
import { until } from '../../support/until.ts';
import { treeCpuMs } from '../measure/costs.ts';
import { percentile } from '../measure/percentile.ts';
import { replicaOf } from './data.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'controller', 'dist', 'main.js');
const IN_FLIGHT = 128;

/** Signed heartbeats through a control plane process of its own, each replica renewing in turn. */
export async function heartbeats(
  folder: string,
  databaseUrl: string,
  keys: readonly SigningKey[],
  seconds: number,
): Promise<{ committed: number; perSecond: number; p50: number; p99: number; refused: number; cpuMs: number }> {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  await writeFile(join(folder, 'control.seed'), `${newSeedHex()}\n`, { mode: 0o600 });
  const child = spawn(process.execPath, [MAIN, 'control-plane'], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      PATH: process.env.PATH,
      AIP_CONNECTOR_CONTROL_BIND: `127.0.0.1:${port}`,
      AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: join(folder, 'control.seed'),
      AIP_CONNECTOR_CONTROL_DATABASE_URL: databaseUrl,
      AIP_CONNECTOR_CONTROL_LOG_LEVEL: 'error',
    },
  });
  const ended = new Promise((done) => child.once('exit', done));
  const url = `http://127.0.0.1:${port}`;
  const http = new Pool(url, { connections: IN_FLIGHT });
  try {
    await until(
      'the control plane is ready',
      async () => (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200,
    );
    const sequences = keys.map(() => 1);
    const times: number[] = [];
    let refused = 0;
    let turn = 0;
    const usedBefore = await treeCpuMs(child.pid as number);
    const begun = performance.now();
    const end = begun + seconds * 1000;
    const sender = async (): Promise<void> => {
      while (performance.now() < end) {
        const index = turn++ % keys.length;
        const key = keys[index] as SigningKey;
        const request = newLifecycleRequest(
          {
            operation: 'heartbeat',
            payload: {
              replica_id: replicaOf(index),
              previous_sequence: sequences[index] as number,
              in_flight: 0,
              connector_ready: true,
            },
          },
          { did: key.did, clock: Date.now },
        );
        const start = performance.now();
        const answer = await http.request({
          method: 'POST',
          path: '/aip/v1/connector-control',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ request, signature: await signValue(request, key) }),
        });
        const { response } = (await answer.body.json()) as {
          response: { status: string; lease?: { sequence: number } };
        };
        if (response.lease) {
          sequences[index] = response.lease.sequence;
          times.push(performance.now() - start);
        } else refused += 1;
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
    const took = (performance.now() - begun) / 1000;
    const used = (await treeCpuMs(child.pid as number)) - usedBefore;
    return {
      cpuMs: used / Math.max(1, times.length),
      committed: times.length,
      perSecond: times.length / took,
      p50: percentile(times, 50),
      p99: percentile(times, 99),
      refused,
    };
  } finally {
    await http.close();
    child.kill('SIGTERM');
    await ended;
  }
}
