import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll } from 'vitest';
import { hasEnded } from '../../../support/program.ts';
import { NeverComes, until } from '../../../support/until.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', '..', 'runtime', 'dist', 'main.js');

/** Processes of the test file that still run; whatever its tests came to, none of them outlives it. */
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** One real host process. */
export interface HostProcess {
  readonly child: ChildProcess;
  /** Origin it listens on. */
  url: string;
  /** Everything it wrote on standard error, as parsed JSON lines where they are some. */
  lines(): Record<string, unknown>[];
  exit: Promise<number | null>;
}

/** Starts `aip-runtime host` with these variables and nothing else of ours, without waiting for anything. */
export function spawnHost(env: Record<string, string>, args: string[] = []): HostProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [MAIN, 'host', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return {
    child,
    url: '',
    lines: () =>
      text.split('\n').flatMap((line) => {
        try {
          return [JSON.parse(line) as Record<string, unknown>];
        } catch {
          return [];
        }
      }),
    exit: new Promise((done) => child.once('exit', (code) => done(code))),
  };
}

/** Starts a host and waits until it listens. */
export async function startHost(env: Record<string, string>, args: string[] = []): Promise<HostProcess> {
  const host = spawnHost(env, args);
  host.url = await until('the host listens', () => {
    if (hasEnded(host.child)) throw new NeverComes(`it ended: ${JSON.stringify(host.lines())}`);
    return host.lines().find((line) => line.message === 'listening')?.url as string | undefined;
  });
  return host;
}

/** Ends a process if it still runs and waits for it. */
export async function end(host: HostProcess | undefined, signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
  if (!host) return null;
  if (host.child.exitCode === null && host.child.signalCode === null) host.child.kill(signal);
  return host.exit;
}
