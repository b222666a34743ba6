import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { until } from '../support/until.ts';
import type { Behavior } from './behavior.ts';
import type { Seen } from './server.ts';

/** A simulated provider that runs as its own process. */
export interface Simulator {
  readonly url: string;
  /** Calls a control route. */
  control<T>(name: string, body?: unknown): Promise<T>;
  behave(behavior: Behavior): Promise<void>;
  requests(): Promise<Seen[]>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `test/simulators/<provider>.ts` on a free port of loopback. */
export async function startSimulator(provider: string, args: readonly string[] = []): Promise<Simulator> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${provider}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const ended = new Promise<void>((done) => {
    child.once('exit', () => {
      running.delete(child);
      done();
    });
  });
  let out = '';
  child.stdout.on('data', (part: Buffer) => {
    out += part;
  });
  const { url } = JSON.parse(await until(`the ${provider} simulator listens`, () => out.includes('\n') && out));
  const control = async <T>(name: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/__simulator/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    });
    return (await response.json()) as T;
  };
  return {
    url,
    control,
    behave: async (behavior) => void (await control('behavior', behavior)),
    requests: async () => (await control<{ requests: Seen[] }>('requests')).requests,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
