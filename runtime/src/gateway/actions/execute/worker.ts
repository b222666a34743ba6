import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import { cancelledBy, WORK_CHANNEL } from '../record/work-channel.js';
import { claimDue, nextDue } from './claim.js';
import type { Executor } from './execute.js';
import { LEASE_MS, type LeaseKeeper } from './lease-keeper.js';

/** Claims in one turn, and the pause after a turn that found work or could not take what is due (docs/protocol/actions.md#worker). */
const CLAIMS_PER_TURN = 64;
const TURN_MS = 250;
/** Longest pause without a wake: a notification may be lost, and a gateway that ended wakes nobody. */
const IDLE_MS = 5000;
/** Queued actions that one process runs at the same time. */
const MAX_IN_FLIGHT = 256;
/** Pause after a turn that failed. */
const FAILED_TURN_MS = 1000;

/** How the worker is, for readiness and metrics. */
export interface WorkerStatus {
  readonly running: boolean;
  readonly cycles: number;
  readonly claimed: number;
  readonly lastError?: string;
  readonly lastSuccessAt?: number;
}

/** The part of a gateway that executes queued actions and takes over executions whose process is gone. */
export interface Worker {
  readonly workerId: string;
  /** Says that there is work now. */
  wake(): void;
  status(): WorkerStatus;
  /** Called after every turn, with how many actions it claimed. */
  onTurn(listener: (claimed: number) => void): void;
  /**
   * Claims no more and waits at most `graceMs` for what runs here, inline actions included.
   */
  stop(graceMs: number): Promise<void>;
}

/** Starts a worker. Several workers share one queue: each due action goes to exactly one of them. */
export function startWorker(deps: {
  pool: Pool;
  clock: Clock;
  log: Logger;
  workerId: string;
  executor: Executor;
  keeper: LeaseKeeper;
}): Worker {
  const { pool, clock, log, workerId, keeper } = deps;
  const running = new Set<Promise<void>>();
  const listeners: ((claimed: number) => void)[] = [];
  const status = { running: true, cycles: 0, claimed: 0 } as { -readonly [K in keyof WorkerStatus]: WorkerStatus[K] };
  let stopping = false;
  let awake = false;
  let wakeIdle: (() => void) | undefined;

  const wake = (): void => {
    awake = true;
    wakeIdle?.();
  };

  const rest = async (ms: number): Promise<void> => {
    if (awake || stopping) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      wakeIdle = () => {
        clearTimeout(timer);
        done();
      };
    });
    wakeIdle = undefined;
  };

  const turn = async (): Promise<number> => {
    const limit = Math.min(CLAIMS_PER_TURN, MAX_IN_FLIGHT - running.size);
    if (limit <= 0) return 0;
    const claimed = await claimDue(pool, {
      nowMs: clock(),
      workerId,
      leaseId: randomUUID(),
      leaseMs: LEASE_MS,
      limit,
    });
    for (const record of claimed) {
      const work: Promise<void> = deps.executor
        .run(record, workerId)
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => {
          running.delete(work);
          if (running.size >= MAX_IN_FLIGHT - 1) wake();
        });
      running.add(work);
    }
    if (claimed.length === limit && running.size < MAX_IN_FLIGHT) awake = true;
    return claimed.length;
  };

  /** The pause after a turn: until the next action is due, where nothing was. */
  const pauseAfter = async (claimed: number): Promise<number> => {
    if (claimed > 0) return TURN_MS;
    const at = await nextDue(pool);
    return at === null ? IDLE_MS : Math.max(TURN_MS, Math.min(at - clock(), IDLE_MS));
  };

  const loop = async (): Promise<void> => {
    while (!stopping) {
      awake = false;
      try {
        const claimed = await turn();
        status.cycles += 1;
        status.claimed += claimed;
        status.running = true;
        status.lastSuccessAt = clock();
        for (const listener of listeners) listener(claimed);
        if (!awake) await rest(await pauseAfter(claimed));
      } catch (error) {
        status.running = false;
        status.lastError = error instanceof Error ? error.message : String(error);
        log.warn({ err: error }, 'the worker could not claim');
        await rest(FAILED_TURN_MS);
      }
    }
  };
  const unobserve = pool.observe(WORK_CHANNEL, wake);
  const looping = loop();
  const listening = pool.listen(WORK_CHANNEL, (payload) => {
    const action = cancelledBy(payload ?? '');
    if (action === undefined) wake();
    else keeper.cancel(action);
  });

  return {
    workerId,
    wake,
    status: () => status,
    onTurn: (listener) => listeners.push(listener),
    stop: async (graceMs) => {
      stopping = true;
      unobserve();
      wakeIdle?.();
      await looping;
      await Promise.resolve(listening).then(
        (stopListening) => stopListening(),
        () => undefined,
      );
      await emptied(keeper, graceMs);
      status.running = false;
      if (keeper.size() > 0) log.warn({ left: keeper.size() }, 'executions are left to another worker');
    },
  };
}

/** Waits until no execution holds a lease here, at most `graceMs`. */
async function emptied(keeper: LeaseKeeper, graceMs: number): Promise<void> {
  const end = performance.now() + graceMs;
  while (keeper.size() > 0 && performance.now() < end) await new Promise((done) => setTimeout(done, 20));
}
