import type { IncomingMessage } from 'node:http';
import { BodiesOverloaded } from '../../protocol/errors.js';
import { openTurns, type Turns } from './turns.js';

/** A body that is being read and may have to give way. */
export interface UnfinishedBody {
  /** Counts bytes that arrived. */
  add(bytes: number): void;
  /** The body is complete or given up; its bytes no longer count. */
  end(): void;
}

/** Bounds the bytes of all bodies that a server is reading, since no sender is trusted before its body was read, and of those it answers. */
export interface BodyBudget {
  /** Begins a body. `giveWay` is called, at most once, when bytes are needed and no other body has been read for longer. */
  begin(giveWay: () => void): UnfinishedBody;
  /** Bytes that unfinished bodies hold. */
  held(): number;
  /**
   * Counts a complete body while it is answered; the returned function ends that, once. Small bodies do not count. Throws BodiesOverloaded when
   * all bodies, or those of the caller, would hold too much; one caller may hold half, and
   * a single body of any size is answered.
   */
  answer(bytes: number, caller?: string): () => void;
  /** The turns in which bodies of senders are checked that may be anybody. */
  readonly turns: Turns;
}

/** Whose bodies those of all senders that sign count as: nobody is known before their signature was verified. */
export const SIGNING_SENDERS = '';

/** The bytes of unfinished bodies that a server holds at most unless it is configured otherwise. */
export const UNFINISHED_BODY_BYTES = 64 * 1024 * 1024;
/** The bytes of bodies that a server answers at once unless it is configured otherwise. */
export const ANSWERED_BODY_BYTES = 192 * 1024 * 1024;
/** A body up to this size does not count: what connections may hold together bounds those. */
const SMALL_BYTES = 65_536;

/**
 * A budget of `maxBytes`, counted as they arrive. When it is exceeded, the body that has been unfinished longest gives
 * way: one that arrives at a usual pace is complete long before it is the oldest. `maxAnswered` bounds complete bodies.
 */
export function bodyBudget(maxBytes: number, maxAnswered: number): BodyBudget {
  const answered = new Map<string | undefined, number>();
  const unfinished = new Map<UnfinishedBody, { bytes: number; giveWay: () => void }>();
  let held = 0;
  return {
    turns: openTurns(),
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
    answer: (bytes, caller) => {
      if (bytes <= SMALL_BYTES) return () => undefined;
      const keys = caller === undefined ? [undefined] : [undefined, `of ${caller}`];
      const add = (more: number): void => {
        for (const key of keys) {
          const now = (answered.get(key) ?? 0) + more;
          if (now === 0) answered.delete(key);
          else answered.set(key, now);
        }
      };
      const isFull = (key: string | undefined): boolean => {
        const held = answered.get(key) ?? 0;
        return held > 0 && held + bytes > (key === undefined ? maxAnswered : maxAnswered / 2);
      };
      if (keys.some(isFull))
        throw new BodiesOverloaded('too many large request bodies are being answered; send the request again');
      add(bytes);
      let ended = false;
      return () => {
        if (!ended) add(-bytes);
        ended = true;
      };
    },
  };
}

const budgets = new WeakMap<IncomingMessage, BodyBudget>();
const shared = bodyBudget(UNFINISHED_BODY_BYTES, ANSWERED_BODY_BYTES);

/** Lets a request's body count against the budget of the server that received it. */
export function countAgainst(request: IncomingMessage, budget: BodyBudget): void {
  budgets.set(request, budget);
}

/** The budget that a request's body counts against. */
export function budgetOf(request: IncomingMessage): BodyBudget {
  return budgets.get(request) ?? shared;
}
