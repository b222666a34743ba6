import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * `node scripts/install/chatwoot-client.ts` finds or makes the Python environment with Chatwoot's own client, which the tests drive against the
 * simulated Chatwoot, and prints the path of its interpreter.
 */
const PACKAGES = ['chatwoot-sdk==0.2.0', 'httpx==0.28.1', 'pydantic==2.12.4'];
const FOLDER = 'chatwoot-sdk-0.2.0';

/** The interpreter of the environment when that is complete, or undefined. */
export function findChatwootClient(): string | undefined {
  return existsSync(join(folder(), 'complete')) ? interpreter() : undefined;
}

const folder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'aip-fleet', 'python', FOLDER);
const interpreter = (): string => join(folder(), 'bin', 'python3');

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? status}`);
}

function install(): string {
  rmSync(folder(), { recursive: true, force: true });
  mkdirSync(join(folder(), '..'), { recursive: true });
  run('python3', ['-m', 'venv', folder()]);
  run(interpreter(), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  mkdirSync(join(folder(), 'complete'));
  return interpreter();
}

if (import.meta.main) process.stdout.write(`${findChatwootClient() ?? install()}\n`);
