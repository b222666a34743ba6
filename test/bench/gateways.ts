import type { LoadReport } from './load/run-load.ts';
import { startSignedFleet } from './load/signed-fleet.ts';
import { type Costs, cpuOfEach, openCostMeter } from './measure/costs.ts';
import { percentile } from './measure/percentile.ts';
import { scaled } from './measure/scaled.ts';

const LEVELS = [1, 16, 64];
const ROUNDS = 5;
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 6));

/** What a round gave, an action where that is said. */
interface Round {
  readonly report: LoadReport;
  /** CPU ms an action: gateways, hosts, PostgreSQL, client. */
  readonly cpu: readonly number[];
  /** An action. */
  readonly statements: number;
  readonly lockWaitMs: number;
}

/**
 * `npm run bench -- gateways`: whether two gateways bring what one does on the same cores. One fleet of two gateways; signed sync actions go to the first or
 * to both, in turns, five rounds of each (AIP_BENCH_SECONDS, default 6 s) at 1, 16 and 64 in flight. Prints medians, the rate of two to one turn by turn, and
 * what sessions waited for locks in all rounds.
 */
export async function gatewaysBench(): Promise<void> {
  const fleet = await startSignedFleet(2);
  try {
    const meter = await openCostMeter(fleet.dev);
    await fleet.warmUp();
    process.stdout.write(
      'in flight | gateways | actions/s | p50 ms | p99 ms | failed | CPU ms an action: gateways, hosts, postgres, client; sum | statements | lock waits ms | rate to one\n',
    );
    for (const inFlight of LEVELS) {
      const rounds: Round[][] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1)
        for (const used of round % 2 === 0 ? [1, 2] : [2, 1]) {
          const before = await meter.read();
          const report = await fleet.load(inFlight, SECONDS, used);
          rounds[used - 1]?.push(roundOf(report, before, await meter.read()));
        }
      for (const [index, each] of rounds.entries()) print(inFlight, index + 1, each, rounds[0] as Round[]);
    }
    await meter.close();
  } finally {
    await fleet.stop();
  }
}

function roundOf(report: LoadReport, before: Costs, after: Costs): Round {
  const done = Math.max(1, report.done);
  return {
    report,
    cpu: cpuOfEach(report, before, after),
    statements: (after.database.statements - before.database.statements) / done,
    lockWaitMs: after.database.lockWaitMs - before.database.lockWaitMs,
  };
}

function print(inFlight: number, gateways: number, rounds: readonly Round[], one: readonly Round[]): void {
  const median = (of: (round: Round) => number): number => percentile(rounds.map(of), 50);
  const cpu = [0, 1, 2, 3].map((place) => median((round) => round.cpu[place] as number));
  const sum = median((round) => round.cpu.reduce((total, ms) => total + ms, 0));
  const ratios = rounds.map(({ report }, turn) => report.perSecond / (one[turn]?.report.perSecond ?? Number.NaN));
  const cells = [
    String(inFlight).padStart(9),
    String(gateways).padStart(8),
    median(({ report }) => report.perSecond)
      .toFixed(0)
      .padStart(9),
    median(({ report }) => report.p50)
      .toFixed(2)
      .padStart(6),
    median(({ report }) => report.p99)
      .toFixed(2)
      .padStart(6),
    String(rounds.reduce((total, { report }) => total + report.failed, 0)).padStart(6),
    `${cpu.map((ms) => ms.toFixed(3)).join(', ')}; ${sum.toFixed(3)}`,
    median(({ statements }) => statements).toFixed(2),
    rounds.reduce((total, { lockWaitMs }) => total + lockWaitMs, 0).toFixed(0),
    gateways === 1
      ? ''
      : `${percentile(ratios, 50).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
  ];
  process.stdout.write(`${cells.join(' | ')}\n`);
}
