import { countsByKey } from '../../claims/counts-by-key.js';

/** What the next claim of a worker may take. */
export interface ClaimBounds {
  /** Actions in all. */
  readonly limit: number;
  /** Actions that one tenant may have running with those that are claimed. */
  readonly room: number;
  readonly running: ReadonlyMap<string, number>;
}

/** The queued actions that one process runs, by tenant. */
export interface RunningByTenant {
  bounds(): ClaimBounds;
  /** Whether some tenant has as many running as it may. */
  isFull(): boolean;
  /** Counts an action that begins; the returned function counts its end. */
  begin(tenant: string): () => void;
}

/**
 * Counts what runs, of at most `max`. One tenant may run as many actions as there are places left beside them, which is half of all when no
 * other tenant has work, and a claim fills at most half of what is free: a tenant whose actions do not end leaves places for the next one.
 */
export function runningByTenant(max: number, maxClaim: number): RunningByTenant {
  const { counts, add } = countsByKey();
  let total = 0;
  return {
    bounds: () => ({ limit: Math.min(maxClaim, Math.ceil((max - total) / 2)), room: max - total, running: counts }),
    isFull: () => [...counts.values()].some((running) => running >= max - total),
    begin: (tenant) => {
      const end = add(tenant);
      total += 1;
      return () => {
        end();
        total -= 1;
      };
    },
  };
}
