import type { Clock } from '../../protocol/clock.js';
import type { LifecycleCommand } from '../../protocol/types.js';
import { oneAtATime } from '../../time/one-at-a-time.js';
import type { CommittedOutcome } from './check-response.js';
import { type CommandSigner, renewWindow, type SignedCommand, signCommand, storedCommand } from './command.js';
import type { ControlClient } from './control-client.js';
import { LeaseRefused } from './errors.js';
import { registrationDigest } from './registration.js';
import type { LeaseRecord, LeaseStore } from './store.js';

/** The lease of one replica and the commands that change it, one at a time. */
export interface Lease {
  /** The last applied state; `pending` while the outcome of a command is unknown. */
  readonly record: Readonly<LeaseRecord>;
  /** Whether a lease is held and has not ended. */
  valid(): boolean;
  /** Reads what a former process knew; true when it ever held a lease or tried to. */
  load(): Promise<boolean>;
  /** Finds out the outcome of a command that is still unknown, by sending it again; does nothing when there is none. */
  settle(): Promise<void>;
  /** Settles, then sends a new command made of the settled record, and applies and returns the answer. Throws LeaseRefused or LeaseUncertain. */
  run(build: (record: LeaseRecord) => LifecycleCommand): Promise<CommittedOutcome>;
  /** Forgets the lease: it is no longer the one that the registry knows. */
  lose(): void;
}

/** What a lease is made of. A record that cannot be stored is logged and kept in memory: the storage must not decide over the lease. */
export interface LeaseOptions {
  control: ControlClient;
  store: LeaseStore;
  signer: CommandSigner;
  clock: Clock;
  onUnsaved: (error: unknown) => void;
}

/** Opens the lease of a replica; nothing is sent before `run` or `settle`. */
export function openLease({ control, store, signer, clock, onUnsaved }: LeaseOptions): Lease {
  let record: LeaseRecord = { status: 'none', sequence: 0, expiresAt: 0 };
  let pending: SignedCommand | undefined;
  const alone = oneAtATime();
  const save = async (): Promise<void> => {
    record = {
      ...record,
      ...(pending === undefined ? { pending: undefined } : { pending: pending.text }),
    } as LeaseRecord;
    await store.save(record).catch(onUnsaved);
  };
  const transmit = async (command: SignedCommand): Promise<CommittedOutcome> => {
    pending = command;
    await save();
    try {
      const outcome = await control.send(command);
      record = applied(record, command.command, outcome, clock());
      pending = undefined;
      return outcome;
    } catch (error) {
      if (error instanceof LeaseRefused) pending = undefined;
      throw error;
    } finally {
      if (pending === undefined) await save();
    }
  };
  const settle = async (): Promise<void> => {
    if (!pending) return;
    await transmit(pending.expiresAt > clock() ? pending : await renewWindow(pending, signer));
  };

  return {
    get record() {
      return record;
    },
    valid: () => (record.status === 'ready' || record.status === 'draining') && record.expiresAt > clock(),
    load: async () => {
      const stored = await store.load();
      if (!stored) return false;
      record = stored;
      pending = stored.pending === undefined ? undefined : storedCommand(stored.pending);
      return stored.sequence > 0 || pending !== undefined;
    },
    settle: () => alone(settle),
    run: (build) =>
      alone(async () => {
        await settle().catch((error) => {
          if (!(error instanceof LeaseRefused)) throw error;
        });
        return transmit(await signCommand(build(record), signer));
      }),
    lose: () => {
      record = { ...record, status: 'offline', expiresAt: Math.min(record.expiresAt, clock()) };
    },
  };
}

/** The record after a committed command. A lease that has already ended says that the replica is offline (docs/protocol/control-plane.md#sequence-and-lease). */
function applied(record: LeaseRecord, command: LifecycleCommand, outcome: CommittedOutcome, now: number): LeaseRecord {
  if (outcome.status === 'offline') {
    return { status: 'offline', sequence: record.sequence, expiresAt: Math.min(record.expiresAt, now) };
  }
  const { sequence, expiresAt } = outcome;
  const live = command.operation === 'drain' ? 'draining' : 'ready';
  const registration = command.operation === 'register' ? registrationDigest(command.payload) : record.registration;
  return {
    status: expiresAt > now ? live : 'offline',
    sequence,
    expiresAt,
    ...(registration !== undefined && { registration }),
  };
}
