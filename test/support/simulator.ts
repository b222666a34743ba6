import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Behaviour, SeenRequest } from '../simulators/simulator.ts';

/** A provider simulator in a process of its own. */
export interface Simulator {
  readonly url: string;
  /** Makes it misbehave until it is set otherwise; nothing: makes it well. */
  behave(behaviour?: Behaviour): Promise<void>;
  /** The requests since the last call, which are forgotten then. */
  requests(): Promise<SeenRequest[]>;
  stop(): Promise<void>;
}

/** Starts test/simulators/<name>.ts on a free port. */
export async function startSimulator(name: string): Promise<Simulator> {
  const program = join(resolve(import.meta.dirname, '..', 'simulators'), `${name}.ts`);
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    behave: async (behaviour) => {
      const body = behaviour && JSON.stringify(behaviour);
      await fetch(`${url}/__simulator/behaviour`, { method: body ? 'PUT' : 'DELETE', ...(body && { body }) });
    },
    requests: async () => {
      const answer = await fetch(`${url}/__simulator/requests`, { method: 'DELETE' });
      return (await answer.json()) as SeenRequest[];
    },
    stop: async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
