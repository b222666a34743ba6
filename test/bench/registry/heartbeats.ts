import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Pool } from 'undici';
import { freePort } from '#runtime/postgres/free-port.js';
import { newLifecycleRequest, signValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, type SigningKey } from '#runtime/protocol/signing.js';
import { NeverComes, until } from '../../support/until.ts';
import { treeCpuMs } from '../measure/costs.ts';
import { percentile } from '../measure/percentile.ts';
import { scaled } from '../measure/scaled.ts';
import { replicaOf } from './data.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'controller', 'dist', 'main.js');
const IN_FLIGHT = 128;

/** Before the measured part, so that code is compiled and connections are open. */
const WARM_UP_MS = scaled(4000);
/** Signed requests of a replica that are ready before it sends the first of them: a host signs on a machine of its own. */
const AHEAD = 16;

/** What heartbeats came to: times in milliseconds, CPU of each in control plane and in this process, which sends them. */
export interface Heartbeats {
  readonly committed: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
  readonly cpuMs: number;
  readonly senderMs: number;
}

/** Signed heartbeats through a control plane process of its own, each replica renewing in turn. `begun` is called when the measured part begins. */
export async function heartbeats(
  folder: string,
  databaseUrl: string,
  keys: readonly SigningKey[],
  seconds: number,
  begun: () => Promise<void>,
): Promise<Heartbeats> {
  const port = await freePort();
  await writeFile(join(folder, 'control.seed'), `${newSeedHex()}\n`, { mode: 0o600 });
  const child = spawn(process.execPath, [MAIN, 'control-plane'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      AIP_CONNECTOR_CONTROL_BIND: `127.0.0.1:${port}`,
      AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: join(folder, 'control.seed'),
      AIP_CONNECTOR_CONTROL_DATABASE_URL: databaseUrl,
      AIP_LOG_LEVEL: 'error',
    },
  });
  const ended = new Promise((done) => child.once('exit', done));
  const url = `http://127.0.0.1:${port}`;
  const http = new Pool(url, { connections: IN_FLIGHT });
  try {
    await until('the control plane is ready', async () => {
      if (child.exitCode !== null) throw new NeverComes(`the control plane ended with ${child.exitCode}`);
      return (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200;
    });
    const replicas = keys.map((key, index) => ({ key, id: replicaOf(index), sequence: 1, ready: [] as string[] }));
    let turn = 0;
    const run = async (ms: number): Promise<{ times: number[]; refused: number; tookMs: number }> => {
      const times: number[] = [];
      let refused = 0;
      const start = performance.now();
      const sender = async (): Promise<void> => {
        while (performance.now() - start < ms) {
          const replica = replicas[turn++ % replicas.length] as Sender;
          if (replica.ready.length === 0) await sign(replica);
          const sentAt = performance.now();
          const answer = await http.request({
            method: 'POST',
            path: '/aip/v1/connector-control',
            headers: { 'content-type': 'application/json' },
            body: replica.ready.shift() as string,
          });
          const { response } = (await answer.body.json()) as { response: { lease?: { sequence: number } } };
          if (response.lease) {
            replica.sequence = response.lease.sequence;
            times.push(performance.now() - sentAt);
          } else {
            replica.ready = [];
            refused += 1;
          }
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
      return { times, refused, tookMs: performance.now() - start };
    };
    await run(WARM_UP_MS);
    for (const replica of replicas) await sign(replica);
    await begun();
    const usedBefore = await treeCpuMs(child.pid as number);
    const ownBefore = process.cpuUsage();
    const { times, refused, tookMs } = await run(seconds * 1000);
    const { user, system } = process.cpuUsage(ownBefore);
    const used = (await treeCpuMs(child.pid as number)) - usedBefore;
    const committed = times.length;
    return {
      committed,
      perSecond: (committed / tookMs) * 1000,
      p50: percentile(times, 50),
      p99: percentile(times, 99),
      refused,
      cpuMs: used / Math.max(1, committed),
      senderMs: (user + system) / 1000 / Math.max(1, committed),
    };
  } finally {
    await http.close();
    child.kill('SIGTERM');
    await ended;
  }
}

/** A replica whose host sends heartbeats; `ready` are signed ones, in their order. */
interface Sender {
  readonly key: SigningKey;
  readonly id: string;
  /** Of the lease that it has. */
  sequence: number;
  ready: string[];
}

/** Signs the next heartbeats of a replica. */
async function sign(replica: Sender): Promise<void> {
  for (let next = replica.ready.length; next < AHEAD; next += 1) {
    const payload = {
      replica_id: replica.id,
      previous_sequence: replica.sequence + next,
      in_flight: 0,
      connector_ready: true,
    };
    const window = { did: replica.key.did, clock: Date.now };
    const request = newLifecycleRequest({ operation: 'heartbeat', payload }, window);
    replica.ready.push(JSON.stringify({ request, signature: await signValue(request, replica.key) }));
  }
}
