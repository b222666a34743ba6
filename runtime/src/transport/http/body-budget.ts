import type { IncomingMessage } from 'node:http';

/** A body that is being read and may have to give way. */
export interface UnfinishedBody {
  /** Counts bytes that arrived. */
  add(bytes: number): void;
  /** The body is complete or given up; its bytes no longer count. */
  end(): void;
}

/** Bounds the bytes of all bodies that a server is reading: no sender is trusted before its body was read. */
export interface BodyBudget {
  /** Begins a body. `giveWay` is called, at most once, when bytes are needed and no other body has been read for longer. */
  begin(giveWay: () => void): UnfinishedBody;
  /** Bytes that unfinished bodies hold. */
  held(): number;
}

/** The bytes of unfinished bodies that a server holds at most unless it is configured otherwise. */
export const UNFINISHED_BODY_BYTES = 64 * 1024 * 1024;

/**
 * A budget of `maxBytes`, counted as they arrive. When it is exceeded, the body that has been unfinished longest gives
 * way: one that arrives at a usual pace is complete long before it is the oldest.
 */
export function bodyBudget(maxBytes: number): BodyBudget {
  const unfinished = new Map<UnfinishedBody, { bytes: number; giveWay: () => void }>();
  let held = 0;
  return {
    begin: (giveWay) => {
      const body: UnfinishedBody = {
        add: (bytes) => {
          const entry = unfinished.get(body);
          if (!entry) return;
          entry.bytes += bytes;
          held += bytes;
          for (const [oldest, { bytes: freed, giveWay: stop }] of unfinished) {
            if (held <= maxBytes) return;
            if (freed === 0) continue;
            oldest.end();
            stop();
          }
        },
        end: () => {
          held -= unfinished.get(body)?.bytes ?? 0;
          unfinished.delete(body);
        },
      };
      unfinished.set(body, { bytes: 0, giveWay });
      return body;
    },
    held: () => held,
  };
}

const budgets = new WeakMap<IncomingMessage, BodyBudget>();
const shared = bodyBudget(UNFINISHED_BODY_BYTES);

/** Lets a request's body count against the budget of the server that received it. */
export function countAgainst(request: IncomingMessage, budget: BodyBudget): void {
  budgets.set(request, budget);
}

/** The budget that a request's body counts against. */
export function budgetOf(request: IncomingMessage): BodyBudget {
  return budgets.get(request) ?? shared;
}
