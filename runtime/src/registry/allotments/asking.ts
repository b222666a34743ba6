import type { Pool } from '../../postgres/pool.js';
import { waited } from '../../time/wait.js';

/** Asks the holders of shares to give back what they do not use. */
export const WANTED_CHANNEL = 'aip_registry_allotments';
const WANTED = 'SELECT pg_notify($1, $2)';

/** How long others get to give something back, and how often at most they are asked, for anything and for one share, in milliseconds. */
const GIVE_BACK_MS = 25;
const ASK_EVERY_MS = 250;
const ASK_AGAIN_MS = 2000;
const MAX_ASKED = 1000;

/** Asks other processes to give back what they do not use, and gives them time; takes it back from those that ended. */
export interface Asking {
  /** Requests shares by name; false when they, or anything, were requested a moment ago. `id` is the holder that asks. */
  forShares(id: string, names: readonly string[]): Promise<boolean>;
  /** Requests anything, unless that was done a moment ago. */
  forAnything(id: string): Promise<void>;
}

export function openAsking(pool: Pool, takeBack: () => Promise<unknown>): Asking {
  let askedAt = 0;
  const asked = new Map<string, number>();
  const ask = async (id: string): Promise<void> => {
    await pool.query({ name: 'registry.allotments.wanted', text: WANTED, values: [WANTED_CHANNEL, id] });
    await Promise.all([takeBack(), waited(GIVE_BACK_MS)]);
  };
  return {
    forShares: async (id, names) => {
      const now = performance.now();
      const fresh = names.filter((name) => now - (asked.get(name) ?? Number.NEGATIVE_INFINITY) > ASK_AGAIN_MS);
      if (fresh.length === 0 || now - askedAt < ASK_EVERY_MS) return false;
      askedAt = now;
      if (asked.size > MAX_ASKED) asked.clear();
      for (const name of fresh) asked.set(name, now);
      await ask(id);
      return true;
    },
    forAnything: async (id) => {
      const now = performance.now();
      if (now - askedAt < ASK_EVERY_MS) return;
      askedAt = now;
      await ask(id);
    },
  };
}
