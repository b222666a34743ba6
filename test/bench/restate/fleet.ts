import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import { installRestate } from './install.ts';

const SERVER = `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;

/** A Restate server with one remote service, each a process of its own. */
export interface RestateFleet {
  /** Where calls go: `${url}/echo/plain` and `${url}/echo/step`. */
  readonly url: string;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** Starts Restate with its defaults: one node, durable to the disk of a fresh folder. */
export async function startRestate(): Promise<RestateFleet> {
  const folder = installRestate();
  const data = await mkdtemp(join(tmpdir(), 'aip-bench-restate-'));
  const [ingress, admin, node, service] = (await freePorts(4)) as [number, number, number, number];
  const script = join(folder, 'service.mjs');
  await copyFile(join(import.meta.dirname, 'service.mjs'), script);
  const processes = [
    spawn(process.execPath, [script, String(service)], { stdio: 'ignore' }),
    // The program itself: what npm links starts it as a child that would outlive a kill.
    spawn(join(folder, SERVER), ['--no-logo', '--base-dir', data], {
      stdio: 'ignore',
      env: {
        ...process.env,
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_DISABLE_TELEMETRY: 'true',
      },
    }),
  ];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map(stopped));
    await rm(data, { recursive: true, force: true });
  };
  try {
    await until('Restate knows the service', () => registered(admin, service));
    const url = `http://127.0.0.1:${ingress}`;
    await until('a call is answered', async () => (await post(`${url}/echo/step`, {})).ok);
    return { url, pids: processes.map(({ pid }) => pid as number), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function registered(admin: number, service: number): Promise<boolean> {
  return (await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${service}`, force: true })).ok;
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
