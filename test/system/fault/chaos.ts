import { setTimeout as pause } from 'node:timers/promises';
import type { Dev } from '../../support/dev.ts';
import type { Chance } from './chance.ts';

/** A kind of program that is killed. */
export type Victim = 'host' | 'gateway' | 'control plane' | 'postgres';

/** One round of killings; shuffled again each time. */
const ROUND: readonly Victim[] = ['host', 'host', 'gateway', 'host', 'gateway', 'control plane', 'postgres'];

const WORDS: Record<Victim, string[]> = {
  host: ['aip-runtime', 'host'],
  gateway: ['aip-runtime', 'gateway'],
  'control plane': ['aip-controller', 'control-plane'],
  postgres: ['postgres', '-D'],
};

/** Hosts and gateways are mostly killed, and sometimes told to end; PostgreSQL ends at once with a checkpoint, at once without, and killed. */
const SIGNALS: Record<Victim, readonly NodeJS.Signals[]> = {
  host: ['SIGKILL', 'SIGKILL', 'SIGTERM'],
  gateway: ['SIGKILL', 'SIGKILL', 'SIGTERM'],
  'control plane': ['SIGKILL'],
  postgres: ['SIGINT', 'SIGQUIT', 'SIGKILL'],
};

/** Kills programs of the fleet one after the other, with pauses, for one round at least and until `signal` fires; tells each killing, and returns who was killed. */
export async function chaos(
  dev: Dev,
  chance: Chance,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Victim[]> {
  const begun = performance.now();
  const killed: Victim[] = [];
  for (let round = 0; ; round += 1) {
    for (const victim of chance.shuffled(ROUND)) {
      await pause(chance.between(300, 2500), undefined, round === 0 ? {} : { signal }).catch(() => undefined);
      if (signal.aborted && round > 0) return killed;
      const pids = (await dev.pids(...WORDS[victim])).sort((a, b) => a - b);
      const [name, draw] = [chance.pick(SIGNALS[victim]), chance.next()];
      const pid = pids[Math.floor(draw * pids.length)];
      if (pid === undefined) continue;
      try {
        process.kill(pid, name);
      } catch {
        continue;
      }
      killed.push(victim);
      say(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${name} to a ${victim}`);
    }
  }
}
