import { countsByKey } from './counts-by-key.js';

/** How much one process runs at the same time: actions, and bytes of their requests. */
export interface RunningLimits {
  readonly actions: number;
  readonly bytes: number;
}

/** What the next claim of a worker may take. */
export interface ClaimBounds {
  /** Actions in all. */
  readonly limit: number;
  /** Bytes of requests after which it takes nothing more. */
  readonly bytes: number;
  /** Actions that one tenant may have running with those that are claimed. */
  readonly room: number;
  /** What each tenant runs already; `room` where its requests leave it none. */
  readonly running: ReadonlyMap<string, number>;
}

/** The queued actions that one process runs, by tenant. */
export interface RunningByTenant {
  bounds(): ClaimBounds;
  /** Whether some tenant has as many running as it may. */
  isFull(): boolean;
  /** Counts an action that begins, with the bytes of its request; the returned function counts its end, once. */
  begin(tenant: string, bytes: number): () => void;
}

/**
 * Counts what runs. One tenant may run as many actions as there are places left beside them, which is half of all when no
 * other tenant has work, and a claim fills at most half of what is free: a tenant whose actions do not end leaves places for the next one.
 * The bytes of requests are shared in the same way, and may be exceeded by one action.
 */
export function runningByTenant(max: RunningLimits, maxClaim: number): RunningByTenant {
  const actions = countsByKey();
  const bytes = countsByKey();
  const held = { actions: 0, bytes: 0 };
  const freeBytes = (): number => max.bytes - held.bytes;
  const room = (): number => max.actions - held.actions;
  const isHeavy = (tenant: string): boolean => (bytes.counts.get(tenant) ?? 0) >= freeBytes();
  return {
    bounds: () => ({
      limit: freeBytes() <= 0 ? 0 : Math.min(maxClaim, Math.ceil(room() / 2)),
      bytes: Math.ceil(freeBytes() / 2),
      room: room(),
      running: new Map([...actions.counts].map(([tenant, count]) => [tenant, isHeavy(tenant) ? room() : count])),
    }),
    isFull: () => [...actions.counts].some(([tenant, count]) => count >= room() || isHeavy(tenant)),
    begin: (tenant, size) => {
      const ends = [actions.add(tenant), bytes.add(tenant, size)];
      held.actions += 1;
      held.bytes += size;
      return () => {
        for (const end of ends) end();
        held.actions -= 1;
        held.bytes -= size;
      };
    },
  };
}
