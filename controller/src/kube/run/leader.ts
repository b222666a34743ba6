import type { Logger } from '@aip/runtime/internal/program';
import { type Clock, systemClock } from '@aip/runtime/internal/protocol';
import { jittered, openDeadline, pollLoop, pollUntil, waited, within } from '@aip/runtime/internal/time';
import type { Kube } from '../kube.js';
import { type Held, openCandidacy } from './candidacy.js';

/** Periods of an election, in ms. `leaseMs` is rounded up to seconds and must exceed `renewDeadlineMs`, that again `retryMs`. */
export interface LeaderTiming {
  /** Others take over after this time without a renewal. */
  leaseMs: number;
  /** The leader stops on its own after this time without a renewal that worked. */
  renewDeadlineMs: number;
  /** Pause between tries to take or renew. */
  retryMs: number;
}

/** What client-go's controllers use. */
export const LEADER_TIMING: LeaderTiming = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** A process's part in an election. */
export interface LeaderOptions {
  /** Best a connection of its own whose time limit is below `renewDeadlineMs`, so that no other request keeps a renewal waiting. */
  kube: Pick<Kube, 'get' | 'create' | 'replace'>;
  namespace: string;
  name: string;
  /** Different for every process that ever takes part. */
  identity: string;
  /** Ends the part: the work is asked to end, then the lease is given back. */
  signal: AbortSignal;
  /**
   * The work of a leader, which continues until the signal aborts: when the lease is lost, or `signal` aborts. The promise must settle soon
   * afterwards, within `leaseMs - renewDeadlineMs`. One that settles before, or throws (which is logged), gives the lease back.
   */
  onStart(signal: AbortSignal): Promise<void>;
  /** Called when a leadership began (true) and that its work has ended (false). */
  onChange?: ((leading: boolean) => void) | undefined;
  log: Logger;
  timing?: Partial<LeaderTiming> | undefined;
  /** Only for the times written into the lease. */
  clock?: Clock | undefined;
}

/** An election under way. */
export interface Election {
  /** Whether this process is the leader now; asks the clock, so it is right even when timers are late. */
  isLeader(): boolean;
  /** Who held the lease when it was last read. */
  holder(): string | undefined;
  /** Resolves after `signal` aborted, the work ended and the lease was given back. */
  readonly ended: Promise<void>;
}

/**
 * Takes part until `signal` aborts: waits for the lease, leads while it can be renewed, and waits again when it was lost. Two processes never
 * both have `isLeader`, as long as their clocks run equally fast within a third.
 */
export function electLeader(options: LeaderOptions): Election {
  const { kube, namespace, name, identity, signal, log, clock = systemClock } = options;
  const timing = { ...LEADER_TIMING, ...options.timing };
  const candidacy = openCandidacy({ kube, namespace, name, identity, timing, clock });
  let held: Held | undefined;

  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      log.warn({ err: error, lease: name, namespace }, what);
      return undefined;
    }
  };
  // Giving it back only saves the others a wait; an API server that does not answer must not hold up a process that ends.
  const giveBack = (): Promise<void> =>
    within(timing.renewDeadlineMs, attempt('the lease could not be given back', candidacy.giveBack), () => undefined);
  const lead = async (first: Held): Promise<void> => {
    const leading = openDeadline(signal);
    const workEnded = new AbortController();
    const end = (): void => leading.abort();
    const keep = (now: Held): void => {
      held = now;
      leading.after(Math.max(0, now.until - performance.now()), end);
    };
    keep(first);
    log.info({ lease: name, namespace, identity }, 'leading');
    options.onChange?.(true);
    const work = attempt('the work of the leader failed', () => options.onStart(leading.signal)).finally(() => {
      end();
      workEnded.abort();
    });
    // The lease is renewed until the work has ended, also while it ends, so that no other process starts before; but a lost one stays lost.
    const renewed = async (): Promise<'ended' | undefined> => {
      const current = held;
      if (workEnded.signal.aborted || !current || performance.now() >= current.until) return 'ended';
      const renewal = attempt('the lease could not be renewed', () => candidacy.renew(current));
      // A request that hangs, as on a connection that was cut silently, must leave time for another one.
      const limitMs = Math.min(current.until - performance.now(), timing.renewDeadlineMs / 2);
      const late = waited(limitMs, workEnded.signal).then(() => undefined);
      const result = await Promise.race([renewal, late]);
      if (result === 'lost') return 'ended';
      if (result) keep(result);
      return undefined;
    };
    await pollUntil(renewed, { signal: workEnded.signal, everyMs: () => timing.retryMs, pauseFirst: true });
    if (!workEnded.signal.aborted) log.warn({ lease: name, namespace, identity }, 'the lease was lost');
    held = undefined;
    end();
    await work;
    leading.clear();
    options.onChange?.(false);
    await giveBack();
  };
  const aborted = new Promise<undefined>((done) => {
    signal.addEventListener('abort', () => done(undefined), { once: true });
  });
  const stand = async (): Promise<void> => {
    const taking = attempt('the lease could not be read or taken', candidacy.take);
    const taken = await Promise.race([taking, aborted]);
    if (taken) return lead(taken);
    // A request under way at the end may still take the lease, which then nobody would renew or give back.
    if (signal.aborted && (await within(timing.retryMs, taking, () => undefined))) await giveBack();
  };
  return {
    isLeader: () => held !== undefined && performance.now() < held.until,
    holder: candidacy.holder,
    ended: pollLoop(stand, { signal, everyMs: () => jittered(timing.retryMs, 0.2) }),
  };
}
