import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as open } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#runtime/postgres/free-port.js';
import { findNatsServer } from '../../../../../scripts/install/nats-server.ts';
import { until } from '../../../../support/until.ts';

/** The nats-server of this machine; without it the tests of the broker are skipped. */
export const NATS_SERVER = findNatsServer();

/** A real broker of its own, which a test may kill and start again on its port. */
export interface NatsServer {
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a nats-server with persistent streams switched on, so that a test sees when somebody makes one; `more` are further options of its command. */
export async function startNatsServer(more: readonly string[] = []): Promise<NatsServer> {
  if (NATS_SERVER === undefined)
    throw new Error('there is no nats-server; node scripts/install/nats-server.ts installs one');
  const folder = await mkdtemp(join(tmpdir(), 'aip-nats-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder, ...more];
    child = spawn(NATS_SERVER, args, { stdio: 'ignore' });
    await until('the broker listens', () => canConnect(port));
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((done) => child?.once('exit', done));
    if (child?.kill('SIGKILL')) await ended;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    start,
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.end());
  });
}
