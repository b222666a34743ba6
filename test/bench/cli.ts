import { spawnSync } from 'node:child_process';
import { CLI, startDev } from '../support/dev.ts';
import { percentile } from './measure/percentile.ts';
import { scaled } from './measure/scaled.ts';

const RUNS = scaled(Number(process.env.AIP_BENCH_RUNS ?? 20));

/** Start-up of the CLI beside that of bare Node.js. The commands take turns, so that other work on the machine meets all of them alike. */
export async function cliBench(): Promise<void> {
  const dev = await startDev();
  const commands: Record<string, string[]> = {
    'node -e 0': ['-e', '0'],
    'aip --version': [CLI, '--version'],
    'aip version': [CLI, 'version', '--client'],
    'aip version (with the gateway)': [CLI, 'version', '--data', dev.dataDir],
    'aip help': [CLI, 'help'],
    'aip actions list': [CLI, 'actions', 'list', '--data', dev.dataDir],
    'aip fleet status': [CLI, 'fleet', 'status', '--data', dev.dataDir],
  };
  const times = new Map(Object.keys(commands).map((name) => [name, [] as Took[]]));
  try {
    // The first round fills the compile cache and is not counted.
    for (let round = 0; round <= RUNS; round += 1)
      for (const [name, args] of Object.entries(commands)) {
        const took = timed([process.execPath, ...args]);
        if (round > 0) times.get(name)?.push(took);
      }
  } finally {
    await dev.stop();
  }
  for (const [name, took] of times) {
    const wall = took.map(({ wallMs }) => wallMs);
    const [median, fastest] = [percentile(wall, 50), Math.min(...wall)].map((ms) => ms.toFixed(0).padStart(5));
    const cpu = took.map(({ cpuMs }) => cpuMs);
    process.stdout.write(
      `${name.padEnd(32)} p50 ${median} ms, fastest ${fastest} ms, CPU ${percentile(cpu, 50).toFixed(0)} ms\n`,
    );
  }
}

interface Took {
  wallMs: number;
  /** Time of the processors, which other work on the machine changes little. */
  cpuMs: number;
}

/** Runs a command to its end. */
function timed(command: readonly string[]): Took {
  const script = `TIMEFORMAT='%R %U %S'; time "$@" >/dev/null`;
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...command], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
  const [wall = 0, user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}
