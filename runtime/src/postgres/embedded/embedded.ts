import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { within } from '../../time/deadline.js';
import { retry } from '../../time/retry.js';
import { waitUntil } from '../../time/wait.js';
import { freePort } from '../free-port.js';
import { canHaveSocket, removeOldSockets } from './local-socket.js';
import { embeddedPostgresFailed, type NativePostgres, nativePostgres } from './native-postgres.js';
import { endOldServer, pidFile } from './old-server.js';

export interface EmbeddedOptions {
  /** Folder of the cluster; made when missing. The password lies beside it in `<dataDir>.password`, mode 0600. */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1; 0 (default) takes a free one. */
  readonly port?: number;
  /** false: no fsync. For tests only: a machine that loses power loses the data. Default true. */
  readonly durable?: boolean;
  /** Folder of another package with the programs, such as that of another release of PostgreSQL. */
  readonly packageDir?: string;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Superuser connection to the database `postgres`. */
  /** Over TCP, for whoever may not read the data folder. */
  readonly url: string;
  /** Folder of its socket, which costs a statement less than TCP: the data folder, where the path of the socket is not too long. */
  readonly socketFolder: string | undefined;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server process has ended. */
  readonly ended: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

const START_MS = 30_000;
/** Most time of one try while the server starts. */
const ANSWER_MS = 5_000;
const ASK_MS = 15;
const STOP_MS = 10_000;
const RELAUNCH_MS = 50;
const UNPRIVILEGED = 65534;
/** SQLSTATE of a password that does not fit. */
const WRONG_PASSWORD = '28P01';

/**
 * Starts the PostgreSQL 18 that comes with the packages on a data folder, which it prepares when it is empty. Listens on loopback and on a socket in the folder only. A server
 * that still runs on the folder is ended first. Fails when none can be had or started.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { durable = true, log = () => undefined } = options;
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const native = await nativePostgres(`${dataDir}.lib`, options.packageDir);
  const password = await passwordOf(dataDir);
  const runner = await unprivilegedRunner(dataDir, native.env);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await initialise(native, runner, dataDir, passwordFile(dataDir));
  if (!(await endOldServer(dataDir, STOP_MS)))
    throw embeddedPostgresFailed(`another server runs on ${dataDir} and does not end`);
  await removeOldSockets(dataDir);
  const port = options.port || (await freePort());
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const socketFolder = (await canHaveSocket(dataDir, port)) ? dataDir : undefined;
  const args = [
    ...['-D', dataDir, '-p', String(port)],
    ...settings({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: socketFolder ?? '',
      max_connections: '300',
      shared_buffers: '128MB',
      max_wal_size: '2GB',
      wal_compression: 'on',
      log_min_messages: 'warning',
      ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...options.settings,
    }),
  ];
  let again = false;
  const start = async (): Promise<EmbeddedPostgres> => {
    const stale = existsSync(pidFile(dataDir));
    const server = launch(runner, native.program('postgres'), args, log);
    try {
      await answering(url, () => {
        if (server.over())
          throw embeddedPostgresFailed(`PostgreSQL ended while it was starting: ${server.lastWords()}`);
      });
      const { pid, ended, stop, kill } = server;
      return { url, socketFolder, port, pid, ended, stop, kill };
    } catch (error) {
      // Processes of an old server that was killed may use the folder for a moment longer; its pid file stays while they do.
      again = server.over() && stale && existsSync(pidFile(dataDir));
      server.kill('SIGQUIT');
      await server.ended;
      throw error;
    }
  };
  const giveUpAt = performance.now() + STOP_MS;
  try {
    const retryable = (): boolean => again && performance.now() < giveUpAt;
    return await retry(start, { attempts: Number.POSITIVE_INFINITY, delayMs: () => RELAUNCH_MS, retryable });
  } catch (cause) {
    if ((cause as { code?: string }).code !== WRONG_PASSWORD) throw cause;
    throw embeddedPostgresFailed(`the password in ${passwordFile(dataDir)} does not match the data folder`, cause);
  }
}

/** Starts the server process. */
function launch(runner: Runner, program: string, args: readonly string[], log: (line: string) => void) {
  const server = runner(program, args);
  let lastWords = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-2000);
    for (const line of text.split('\n')) if (line !== '') log(line);
  });
  let over = false;
  const ended = new Promise<void>((done) => {
    const end = (): void => {
      over = true;
      done();
    };
    server.once('exit', end);
    server.on('error', ({ message }) => {
      if (server.pid !== undefined) return;
      lastWords = message;
      end();
    });
  });
  return {
    pid: server.pid as number,
    ended,
    over: () => over,
    lastWords: () => lastWords.trim(),
    kill: (signal: NodeJS.Signals) => void server.kill(signal),
    stop: async () => {
      if (!over) server.kill('SIGINT');
      await within(STOP_MS, ended, () => server.kill('SIGQUIT'));
      await ended;
    },
  };
}

type Runner = (program: string, args: readonly string[]) => ChildProcess;

const settings = (values: Record<string, string>): string[] =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/**
 * PostgreSQL refuses to run as root. A user namespace lets it run as another user while the files stay ours; where none can be made it
 * runs as an unprivileged account, which then owns the data folder. It gets a process group of its own, so that a Ctrl-C in the terminal
 * reaches the program that stops it in order, not the server.
 */
async function unprivilegedRunner(dataDir: string, extraEnv: NodeJS.ProcessEnv): Promise<Runner> {
  const options: SpawnOptions = {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...extraEnv },
  };
  const plain: Runner = (program, args) => spawn(program, args, options);
  if (process.getuid?.() !== 0) return plain;
  const mapped = ['--user', `--map-user=${UNPRIVILEGED}`, `--map-group=${UNPRIVILEGED}`];
  if ((await exitCode(spawn('unshare', [...mapped, 'true'], { stdio: 'ignore' }))) === 0)
    return (program, args) => plain('unshare', [...mapped, program, ...args]);
  for (const path of [dataDir, passwordFile(dataDir)]) await chown(path, UNPRIVILEGED, UNPRIVILEGED);
  return (program, args) => spawn(program, args, { ...options, uid: UNPRIVILEGED, gid: UNPRIVILEGED });
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

async function initialise(
  native: NativePostgres,
  runner: Runner,
  dataDir: string,
  passwordFile: string,
): Promise<void> {
  const child = runner(native.program('initdb'), [
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
  if ((await exitCode(child)) !== 0) throw embeddedPostgresFailed(`initdb failed: ${output.trim().slice(-2000)}`);
}

async function answering(url: string, check: () => void): Promise<void> {
  let cause: unknown;
  const answered = async (): Promise<boolean> => {
    check();
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === WRONG_PASSWORD) throw error;
      cause = error;
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  if (!(await waitUntil(answered, { everyMs: ASK_MS, longestMs: START_MS })))
    throw embeddedPostgresFailed('PostgreSQL did not answer in time', cause);
}
