import type { LoadReport } from './load/run-load.ts';
import { startSignedFleet } from './load/signed-fleet.ts';
import { type Costs, cpuOfEach, openCostMeter } from './measure/costs.ts';
import { commitFloor, signatureFloor } from './measure/floor.ts';
import { scaled } from './measure/scaled.ts';

const LEVELS = [1, 16, 64];
const PROGRAMS = ['gateway', 'hosts', 'postgres'] as const;
const GATEWAYS = Number(process.env.AIP_BENCH_GATEWAYS ?? 1);
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 8));

/**
 * Signed sync actions through one gateway (AIP_BENCH_GATEWAYS for more) and two hosts at 1, 16 and 64 in flight: rate, latency, and what an action
 * costs: CPU time and voluntary context switches of each program, statements, commits, fsyncs, WAL and lock waits of the database; beside the floor measured in the same run (two commits an action; one signature and one verification each way).
 */
export async function actionsBench(): Promise<void> {
  const fleet = await startSignedFleet(GATEWAYS);
  const { dev } = fleet;
  try {
    const meter = await openCostMeter(dev);
    process.stdout.write(
      'in flight | actions/s | p50 ms | p99 ms | failed | CPU ms an action: gateway, hosts, postgres, client; sum\n',
    );
    await fleet.warmUp();
    for (const inFlight of LEVELS) {
      const before = await meter.read();
      const report = await fleet.load(inFlight, SECONDS);
      print(inFlight, report, before, await meter.read());
    }
    await meter.close();
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
    await fleet.stop();
  }
}

/** Rate and times of one level, with what an action cost; below it the counts that stay comparable on a machine that others use. */
function print(inFlight: number, report: LoadReport, before: Costs, after: Costs): void {
  const done = Math.max(1, report.done);
  const cpu = cpuOfEach(report, before, after);
  const total = cpu.reduce((sum, ms) => sum + ms, 0);
  process.stdout.write(
    `${String(inFlight).padStart(9)} | ${report.perSecond.toFixed(0).padStart(9)} | ${report.p50.toFixed(2).padStart(6)} | ${report.p99.toFixed(2).padStart(6)} | ${String(report.failed).padStart(6)} | ${cpu.map((ms) => ms.toFixed(3)).join(', ')}; ${total.toFixed(3)}\n`,
  );
  const per = (name: keyof Costs['database'], digits: number): string =>
    ((after.database[name] - before.database[name]) / done).toFixed(digits);
  const switches = PROGRAMS.map((name) => ((after[name].switches - before[name].switches) / done).toFixed(1));
  process.stdout.write(
    `          | an action: ${per('statements', 2)} statements, ${per('commits', 2)} commits, ${per('fsyncs', 2)} fsyncs, ` +
      `${per('walBytes', 0)} WAL bytes in ${per('walRecords', 1)} records, ${per('lockWaitMs', 2)} ms of lock waits; ` +
      `voluntary switches ${switches.join(', ')} (gateway, hosts, postgres)\n`,
  );
}
