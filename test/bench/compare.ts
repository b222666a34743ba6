import { join } from 'node:path';
import { type LoadReport, openLoad } from './load/run-load.ts';
import { type SignedFleet, startSignedFleet } from './load/signed-fleet.ts';
import { WARM_UP } from './load/warm-up.ts';
import { costsOf, processCosts } from './measure/costs.ts';
import { scaled } from './measure/scaled.ts';
import { type RestateFleet, startRestate } from './restate/fleet.ts';
import { RESTATE_VERSION } from './restate/install.ts';
import type { CallOrder } from './restate/load.ts';

const LEVELS = [1, 16, 64];
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 6));
const ROUNDS = 2;
const KINDS = ['aip', 'step', 'plain'] as const;

/** What a round of one system gave; `cpuMs` of all its processes, the client's too. */
interface Round extends LoadReport {
  totalCpuMs: number;
}

const DOES = `aip: a signed sync action: 4 signatures and 3 verifications, contract and policy checked, journal at gateway and host, two chained receipts
step: Restate ${RESTATE_VERSION}, a call of a remote handler that makes one durable step (ctx.run); no signatures, no receipts
plain: the same without the step
`;

/**
 * `npm run bench -- compare`: Restate from npm and this fleet in turns on the same cores, two rounds of each at 1, 16 and 64 in flight
 * (AIP_BENCH_SECONDS each, default 6). Both with the defaults of one node, durable on the same disk; prints rate, p50, CPU and the ratios.
 */
export async function compareBench(): Promise<void> {
  const restate = await startRestate();
  try {
    const fleet = await startSignedFleet();
    try {
      await compare(fleet, restate);
    } finally {
      await fleet.stop();
    }
  } finally {
    await restate.stop();
  }
}

async function compare(fleet: SignedFleet, restate: RestateFleet): Promise<void> {
  const aip = async (inFlight: number, seconds: number): Promise<Round> => {
    const before = await fleetCpuMs(fleet);
    const report = await fleet.load(inFlight, seconds);
    return { ...report, totalCpuMs: (await fleetCpuMs(fleet)) - before + report.cpuMs };
  };
  using client = openLoad<CallOrder>(join(import.meta.dirname, 'restate', 'load.ts'));
  const orderOf = (kind: 'step' | 'plain') => ({ urls: [restate.url], path: `/echo/${kind}` });
  const call = async (kind: 'step' | 'plain', inFlight: number, seconds: number): Promise<Round> => {
    const before = (await costsOf(restate.pids)).cpuMs;
    const report = await client.run({ ...orderOf(kind), inFlight, seconds });
    return { ...report, totalCpuMs: (await costsOf(restate.pids)).cpuMs - before + report.cpuMs };
  };
  const run = (kind: (typeof KINDS)[number], inFlight: number, seconds: number): Promise<Round> =>
    kind === 'aip' ? aip(inFlight, seconds) : call(kind, inFlight, seconds);
  process.stdout.write(
    `${DOES}\nin flight | system | calls/s | p50 ms | p99 ms | failed | CPU ms a call | rate of aip to it\n`,
  );
  await fleet.warmUp();
  for (const kind of ['step', 'plain'] as const) await client.run({ ...orderOf(kind), ...WARM_UP });
  for (const inFlight of LEVELS) {
    const rounds = { aip: [] as Round[], step: [] as Round[], plain: [] as Round[] };
    for (let round = 0; round < ROUNDS; round += 1)
      for (const kind of KINDS) rounds[kind].push(await run(kind, inFlight, SECONDS));
    for (const kind of KINDS) print(inFlight, kind, mean(rounds[kind]), mean(rounds.aip));
  }
}

async function fleetCpuMs({ dev }: SignedFleet): Promise<number> {
  const { gateway, hosts, postgres } = await processCosts(dev);
  return gateway.cpuMs + hosts.cpuMs + postgres.cpuMs;
}

function mean(rounds: readonly Round[]): Round {
  const of = (name: keyof Round): number => rounds.reduce((sum, round) => sum + round[name], 0) / rounds.length;
  const names = ['done', 'failed', 'perSecond', 'p50', 'p99', 'cpuMs', 'totalCpuMs'] as const;
  return Object.fromEntries(names.map((name) => [name, of(name)])) as unknown as Round;
}

function print(inFlight: number, kind: string, round: Round, aip: Round): void {
  const cells = [
    String(inFlight).padStart(9),
    kind.padEnd(6),
    round.perSecond.toFixed(0).padStart(7),
    round.p50.toFixed(2).padStart(6),
    round.p99.toFixed(2).padStart(6),
    round.failed.toFixed(0).padStart(6),
    (round.totalCpuMs / Math.max(1, round.done)).toFixed(3),
    kind === 'aip' ? '' : (aip.perSecond / round.perSecond).toFixed(2),
  ];
  process.stdout.write(`${cells.join(' | ')}\n`);
}
