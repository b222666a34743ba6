import { setImmediate as loopTurn } from 'node:timers/promises';
import { BodiesOverloaded } from '../../protocol/errors.js';
import { waited } from '../../time/wait.js';

/** Bodies of this size and below are checked as they come. */
const SMALL_BYTES = 8192;
/** Bytes of bodies that are checked at the same time; a larger body has a turn alone. */
const AT_ONCE_BYTES = 256 * 1024;
/** A body that takes longer to parse is followed by a pause of so many times as long, but not longer than the last one. Verifying it takes as long again. */
const LONG_PARSE_MS = 5;
const PAUSES = 8;
const LONGEST_PAUSE_MS = 2000;
/** What waits of one source: so many bodies, and more of them up to so many bytes. */
const MAX_WAITING = 64;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** The turn of one body. */
export interface Turn {
  /** Runs what parses the body: how long it takes decides how long the event loop then serves others. */
  parse<T>(work: () => T): T;
  /** The body was verified, or refused. Another call changes nothing. */
  end(): void;
}

/** A body that needs no turn. */
export const NO_TURN: Turn = { parse: (work) => work(), end: () => undefined };

/** Turns in which the bodies of senders are checked that may be anybody. */
export interface Turns {
  /** Waits until a body may be parsed and its signature be verified. Small bodies do not wait. Throws BodiesOverloaded when too many of this source wait. */
  enter(bytes: number, source: string): Promise<Turn>;
}

interface Waiting {
  readonly bytes: number;
  readonly begin: (turn: Turn) => void;
}

/**
 * Turns of a bounded number of bytes at a time, of each source in turn. After a body that took long the event loop serves everybody else for
 * most of the time: to parse a body and to verify its signature costs its receiver far more than its sender. Only the body's own work counts,
 * so that a process which is busy with others does not slow its turns down.
 */
export function openTurns(): Turns {
  const waiting = new Map<string, Waiting[]>();
  let bytesChecked = 0;
  /** Spent on parsing since the last pause. */
  let parsedMs = 0;
  let isResting = false;

  const rest = async (): Promise<void> => {
    isResting = true;
    do {
      const ms = parsedMs;
      parsedMs = 0;
      if (ms > LONG_PARSE_MS) await waited(Math.min(PAUSES * ms, LONGEST_PAUSE_MS));
      else await loopTurn();
    } while (parsedMs > LONG_PARSE_MS);
    isResting = false;
    admit();
  };
  const turnOf = (bytes: number): Turn => {
    let ended = false;
    return {
      parse: (work) => {
        const began = performance.now();
        try {
          return work();
        } finally {
          parsedMs += performance.now() - began;
        }
      },
      end: () => {
        if (ended) return;
        ended = true;
        bytesChecked -= bytes;
        if (!isResting) void rest();
      },
    };
  };
  const admit = (): void => {
    while (!isResting) {
      const [first] = waiting;
      const [next] = first?.[1] ?? [];
      if (!first || !next || (bytesChecked > 0 && bytesChecked + next.bytes > AT_ONCE_BYTES)) return;
      const [source, bodies] = first;
      bodies.shift();
      waiting.delete(source);
      if (bodies.length > 0) waiting.set(source, bodies);
      bytesChecked += next.bytes;
      next.begin(turnOf(next.bytes));
    }
  };
  return {
    enter: async (bytes, source) => {
      if (bytes <= SMALL_BYTES) return NO_TURN;
      const bodies = waiting.get(source) ?? [];
      const waitingBytes = bodies.reduce((sum, body) => sum + body.bytes, bytes);
      if (bodies.length >= MAX_WAITING && waitingBytes > MAX_WAITING_BYTES)
        throw new BodiesOverloaded('too many messages that are not verified yet wait; send the request again');
      const begun = new Promise<Turn>((begin) => {
        bodies.push({ bytes, begin });
      });
      waiting.set(source, bodies);
      admit();
      return begun;
    },
  };
}
