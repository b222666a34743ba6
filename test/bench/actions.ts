import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSeedHex, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import { gatewayUrls } from '../support/client.ts';
import { type Dev, startDev } from '../support/dev.ts';
import { commitFloor, signatureFloor } from './floor.ts';
import type { LoadOrder, LoadReport } from './load.ts';

const LEVELS = [1, 16, 64];
const GATEWAYS = Number(process.env.AIP_BENCH_GATEWAYS ?? 1);
const SECONDS = Number(process.env.AIP_BENCH_SECONDS ?? 8);

/**
 * Signed sync actions through one gateway (AIP_BENCH_GATEWAYS for more) and two hosts at 1, 16 and 64 in flight: rate, latency, and the CPU time of
 * each program an action; beside the floor measured in the same run (two commits an action; one signature and one verification each way).
 */
export async function actionsBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-bench-'));
  const seed = newSeedHex();
  const signers = join(folder, 'signers.json');
  await writeFile(
    signers,
    JSON.stringify([
      { signer_did: signingKeyFromSeed(seed).did, principal_id: 'agent:bench', tenant_id: 'demo', scopes: ['*'] },
    ]),
    { mode: 0o600 },
  );
  const dev = await startDev({ args: ['--trusted-signers', signers, '--gateways', String(GATEWAYS)] });
  try {
    const urls = await gatewayUrls(dev);
    process.stdout.write(
      'in flight | actions/s | p50 ms | p99 ms | failed | CPU ms an action: gateway, hosts, postgres, client\n',
    );
    await load({ seed, urls, inFlight: 16, seconds: 2 });
    for (const inFlight of LEVELS) {
      const before = await cpuTimes(dev);
      const report = await load({ seed, urls, inFlight, seconds: SECONDS });
      const after = await cpuTimes(dev);
      const per = (name: keyof CpuTimes): string =>
        ((after[name] - before[name]) / Math.max(1, report.done)).toFixed(3);
      process.stdout.write(
        `${String(inFlight).padStart(9)} | ${report.perSecond.toFixed(0).padStart(9)} | ${report.p50.toFixed(2).padStart(6)} | ${report.p99.toFixed(2).padStart(6)} | ${String(report.failed).padStart(6)} | ${per('gateway')}, ${per('hosts')}, ${per('postgres')}, ${(report.cpuMs / Math.max(1, report.done)).toFixed(3)}\n`,
      );
    }
    process.stdout.write('\nfloor on this machine, same PostgreSQL, nothing else in the way\n');
    for (const inFlight of LEVELS) {
      const floor = await commitFloor(dev.ready.database_url, inFlight, Math.min(4, SECONDS));
      process.stdout.write(
        `${String(inFlight).padStart(9)} | ${floor.perSecond.toFixed(0).padStart(9)} | ${floor.p50.toFixed(2).padStart(6)} | two single-row commits an action\n`,
      );
    }
    const signatures = await signatureFloor();
    process.stdout.write(
      `  one signature and one verification each way: ${signatures.toFixed(3)} ms of CPU an action\n`,
    );
  } finally {
    await dev.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the load in a process of its own, so that its CPU time is counted apart. */
function load(order: LoadOrder): Promise<LoadReport> {
  return new Promise((done, fail) => {
    const child = fork(join(import.meta.dirname, 'load.ts'), { stdio: 'inherit' });
    child.once('message', (report) => done(report as LoadReport));
    child.once('exit', (code) => fail(new Error(`the load process ended with ${code} before it reported`)));
    child.send(order);
  });
}

export interface CpuTimes {
  gateway: number;
  hosts: number;
  postgres: number;
}

/** CPU milliseconds spent so far by the fleet's programs. */
export async function cpuTimes(dev: Dev): Promise<CpuTimes> {
  const sum = async (...words: string[]): Promise<number> => {
    const times = await Promise.all((await dev.pids(...words)).map(cpuMs));
    return times.reduce((total, ms) => total + ms, 0);
  };
  return {
    gateway: await sum('aip-runtime', 'gateway'),
    hosts: await sum('aip-runtime', 'host'),
    postgres: await sum('postgres'),
  };
}

async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
}
