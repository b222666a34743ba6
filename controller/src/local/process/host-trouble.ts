import { timed } from '@aip/runtime/internal/time';
import type { Ending } from './supervise.js';

/** How long a host may take to answer about its health, in ms. */
const ASK_MS = 1000;
/** A host may be not healthy for this long after its start before anything is said, in ms. */
const PATIENCE_MS = 1000;

/** What keeps hosts on this machine from becoming ready, by replica key. */
export interface HostTroubles {
  of(key: string): string | undefined;
  /** A host ended on its own; `words` are the last of its log. */
  ended(key: string, ending: Ending, words: string): void;
  /** Asks a host that is not ready for the reason. */
  ask(key: string, port: number, startedAt: number): Promise<void>;
  forget(key: string): void;
}

interface Readiness {
  runtime?: { ready?: boolean; detail?: string };
  connector?: { ready?: boolean; detail?: string };
}

/** Opens an empty memory of troubles. */
export function openHostTroubles(now: () => number = Date.now): HostTroubles {
  const troubles = new Map<string, string>();
  return {
    of: (key) => troubles.get(key),
    ended: (key, { code, signal }, words) => {
      const how = signal ? `signal ${signal}` : `exit code ${code}`;
      troubles.set(key, `its host ended (${how})${words === '' ? '' : `: ${words}`}`);
    },
    ask: async (key, port, startedAt) => {
      // Nothing would be said yet, and a host that is starting may answer late.
      if (!troubles.has(key) && now() - startedAt < PATIENCE_MS) return;
      const body = await readiness(port);
      if (!body) return;
      const trouble = troubleOf(body);
      if (trouble === undefined) troubles.delete(key);
      else troubles.set(key, trouble);
    },
    forget: (key) => void troubles.delete(key),
  };
}

async function readiness(port: number): Promise<Readiness | undefined> {
  try {
    return await timed(ASK_MS, async (signal) => {
      const response = await fetch(`http://127.0.0.1:${port}/ready`, { signal });
      return (await response.json()) as Readiness;
    });
  } catch {
    return undefined;
  }
}

function troubleOf({ runtime, connector }: Readiness): string | undefined {
  if (runtime?.ready === false && runtime.detail !== 'not probed yet') return `its storage fails: ${runtime.detail}`;
  if (connector?.ready === false && connector.detail !== 'not probed yet')
    return `the connector is not healthy: ${connector.detail}`;
  return undefined;
}
