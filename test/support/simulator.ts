import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import type { Behavior } from '../simulators/behavior.ts';
import type { SeenRequest } from '../simulators/simulator.ts';

/** A simulated provider in a process of its own. */
export interface Simulator {
  readonly url: string;
  /** Calls a control route. */
  control<T>(name: string, body?: unknown): Promise<T>;
  /** Makes it misbehave until it is set otherwise; nothing: makes it well. */
  behave(behavior?: Behavior): Promise<void>;
  requests(): Promise<SeenRequest[]>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts test/simulators/<provider>.ts on a free port of loopback. */
export async function startSimulator(provider: string, args: readonly string[] = []): Promise<Simulator> {
  const program = resolve(import.meta.dirname, '..', 'simulators', `${provider}.ts`);
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const ended = once(child, 'exit').then(() => running.delete(child));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const control = async <T>(name: string, body: unknown = {}): Promise<T> => {
    const response = await fetch(`${url}/__simulator/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  };
  return {
    url,
    control,
    behave: async (behavior) => void (await control('behavior', behavior)),
    requests: async () => (await control<{ requests: SeenRequest[] }>('requests')).requests,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
