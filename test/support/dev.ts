import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { NeverComes, until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
export const CLI = join(ROOT, 'cli', 'bin', 'aip.js');

/** What dev.json holds once `aip dev` is ready (docs/dev.md). */
export interface DevReady {
  ready: true;
  gateway_url: string;
  /** The addresses of all gateways. */
  gateways: string[];
  control_url: string;
  token_file: string;
  database_url: string;
  trust_domain: string;
  gateway: { principal_id: string; did: string };
  control_plane: { principal_id: string; did: string };
  instances: {
    name: string;
    instance_id: string;
    version_id: string;
    manifest_digest: string;
    tenant_id: string;
    replicas: { replica_id: string; endpoint: string; did: string; managed: boolean }[];
  }[];
}

/** A running `aip dev` of its own: data folder, ports and processes. */
export interface Dev {
  readonly ready: DevReady;
  /** The object that it printed. */
  readonly printed: DevReady;
  readonly process: ChildProcess;
  readonly dataDir: string;
  /** What it has reported on standard error so far. */
  reported(): string;
  /** The bearer token of the first tenant. */
  readonly token: string;
  /** Process ids of the fleet's programs whose command line holds all of `words`. */
  pids(...words: string[]): Promise<number[]>;
  /** SIGTERM, waits for the end, removes the data folder; returns the exit code. */
  stop(): Promise<number | null>;
}

export interface DevOptions {
  /** Resource documents (YAML text); default: the demo instance with two replicas. */
  documents?: string;
  env?: Record<string, string>;
  args?: string[];
  /** A data folder that the caller keeps and removes; default: a fresh one that `stop` removes. */
  dataDir?: string;
}

/** Starts `aip dev` with free ports and a fresh data folder, and waits until it says it is ready. */
export async function startDev(options: DevOptions = {}): Promise<Dev> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-dev-'));
  const dataDir = options.dataDir ?? join(folder, 'data');
  const file = join(folder, 'fleet.yaml');
  await writeFile(file, options.documents ?? (await readFile(join(ROOT, 'examples', 'demo.yaml'), 'utf8')));
  const child = spawn(
    process.execPath,
    [
      CLI,
      'dev',
      '-f',
      file,
      '--data',
      dataDir,
      '--gateway-port',
      '0',
      '--control-port',
      '0',
      '--output',
      'json',
      ...(options.args ?? []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.env } },
  );
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  const printed = await until(
    'aip dev is ready',
    () => {
      // What failed is in the JSON that it printed last.
      if (child.exitCode !== null) throw new NeverComes(`it ended with ${child.exitCode}: ${err}${out.slice(-2000)}`);
      const line = out.split('\n').find((text) => text.startsWith('{"ready":true'));
      if (!line) throw new Error(`it reported ${err.slice(-2000)}`);
      return JSON.parse(line) as DevReady;
    },
    540_000,
  );
  const { database_url } = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8')) as DevReady;
  // The printed line has no password.
  const ready = { ...printed, database_url };
  const token = (await readFile(ready.token_file, 'utf8')).trim();
  return {
    ready,
    printed,
    process: child,
    dataDir,
    reported: () => err,
    token,
    pids: (...words) => descendantsWith(child.pid as number, words),
    stop: async () => {
      child.kill('SIGTERM');
      const code = await exited;
      // A server that was killed at the end of its time may still write for a moment.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
      return code;
    },
  };
}

/** Processes below `parent` (children of children too) whose command line holds all of `words`. */
async function descendantsWith(parent: number, words: string[]): Promise<number[]> {
  const { readdir } = await import('node:fs/promises');
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (ppid) parents.set(Number(name), ppid);
  }
  const below = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
      if (at === parent) return true;
    return false;
  };
  const found: number[] = [];
  for (const pid of parents.keys()) {
    if (pid === parent || !below(pid)) continue;
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (words.every((word) => text.includes(word))) found.push(pid);
  }
  return found;
}
