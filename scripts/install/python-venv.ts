import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * `node scripts/install/python-venv.ts` finds or makes the Python environment that the tests of the Python client run in, and prints its interpreter:
 * AIP_PYTHON, else the one of the cache folder, which is filled with these packages.
 */
const PACKAGES = ['httpx==0.28.1', 'cryptography==50.0.2', 'pytest==9.2.0', 'mypy==2.4.1'];
const VERSION = '1';

/** The interpreter that is there already and has the packages, or undefined. */
export function findPython(): string | undefined {
  const python = process.env.AIP_PYTHON ?? join(folder(), 'bin', 'python');
  if (!existsSync(python)) return undefined;
  const { status } = spawnSync(python, ['-c', 'import httpx, cryptography, pytest, mypy'], { stdio: 'ignore' });
  return status === 0 ? python : undefined;
}

function folder(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'aip-fleet', 'python', VERSION);
}

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error || status !== 0)
    throw new Error(
      `the Python environment cannot be made: ${command} ${args.join(' ')} failed; install python3 with venv`,
    );
}

/** Makes the environment in its final place, which its scripts name; one that lacks packages is replaced. */
function install(): string {
  const complete = folder();
  const aside = `${complete}.old-${process.pid}`;
  mkdirSync(dirname(complete), { recursive: true });
  if (existsSync(complete)) renameSync(complete, aside);
  try {
    run('python3', ['-m', 'venv', complete]);
    run(join(complete, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...PACKAGES]);
  } catch (error) {
    rmSync(complete, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return join(complete, 'bin', 'python');
}

if (import.meta.main) process.stdout.write(`${findPython() ?? install()}\n`);
