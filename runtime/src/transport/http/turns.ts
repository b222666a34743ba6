import { setImmediate as loopTurn } from 'node:timers/promises';
import { BodiesOverloaded } from '../../protocol/errors.js';
import { waited } from '../../time/wait.js';

/** Bodies of this size and below are checked as they come. */
const SMALL_BYTES = 8192;
/** A body that kept the event loop longer is followed by a pause of so many times as long, but not longer than the last one. */
const LONG_MS = 10;
const PAUSES = 4;
const LONGEST_PAUSE_MS = 2000;
/** Bodies of one source that wait. */
const MAX_WAITING = 64;

/** Turns in which the bodies of senders are checked that may be anybody. */
export interface Turns {
  /**
   * Waits until a body may be parsed and its signature be verified; call the returned function, once or more, when that is done. Small bodies
   * do not wait. Throws BodiesOverloaded when too many of this source wait.
   */
  enter(bytes: number, source: string): Promise<() => void>;
}

/**
 * Turns of one body at a time, of each source in turn. Between two the event loop serves everybody else, after long work for most of the time:
 * to parse a body and to verify its signature costs its receiver far more than its sender.
 */
export function openTurns(): Turns {
  const waiting = new Map<string, ((end: () => void) => void)[]>();
  let isTaken = false;

  const next = (): void => {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (!first) return;
    const [source, begins] = first;
    const begin = begins.shift();
    waiting.delete(source);
    if (begins.length > 0) waiting.set(source, begins);
    const began = performance.now();
    let ended = false;
    begin?.(() => {
      if (ended) return;
      ended = true;
      void restAfter(performance.now() - began).then(next);
    });
  };
  return {
    enter: async (bytes, source) => {
      if (bytes <= SMALL_BYTES) return () => undefined;
      const begins = waiting.get(source) ?? [];
      if (begins.length >= MAX_WAITING)
        throw new BodiesOverloaded('too many messages that are not verified yet wait; send the request again');
      const begun = new Promise<() => void>((resolve) => {
        begins.push(resolve);
      });
      waiting.set(source, begins);
      if (!isTaken) next();
      return begun;
    },
  };
}

async function restAfter(ms: number): Promise<void> {
  if (ms > LONG_MS) await waited(Math.min(PAUSES * ms, LONGEST_PAUSE_MS));
  else await loopTurn();
}
