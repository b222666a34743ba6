import { OUTBOX_BATCH } from '../../protocol/limits.js';
import type { Batch } from './outbox.js';

/** Envelopes that are on their way to the central server at once. */
const MAX_SENDING = 4;
/** Bytes of events that one envelope combines; a larger batch goes alone. */
const MAX_BYTES = 1_048_576;

/** What came of an envelope. No reason: it was taken; no status: nobody knows. */
export interface SendOutcome {
  status?: number;
  reason?: string;
}

/** Sends one envelope with the events of these batches, which are of one channel, and says what came of each. */
export type SendTogether = (batches: readonly Batch[]) => Promise<SendOutcome[]>;

interface Waiting {
  batch: Batch;
  bytes: number;
  /** It was in an envelope that was refused, perhaps for another batch. */
  alone: boolean;
  done: (outcome: SendOutcome) => void;
  fail: (error: unknown) => void;
}

/**
 * Sends batches at once while few are on their way, and those that come meanwhile together: one signature, one request and one commit of the
 * central server for many. A refusal of an envelope with several batches says nothing about each, so each is then sent alone. Group commit's
 * batches are others: one at a time, and whatever waits fits into the next.
 */
export function combined(
  send: SendTogether,
  isRefusal: (status: number) => boolean,
): (batch: Batch) => Promise<SendOutcome> {
  let waiting: Waiting[] = [];
  let sending = 0;
  const next = (): void => {
    while (sending < MAX_SENDING && waiting.length > 0) {
      const group = groupOf(waiting);
      waiting = waiting.filter((each) => !group.includes(each));
      sending += 1;
      void sendGroup(group).finally(() => {
        sending -= 1;
        next();
      });
    }
  };
  const sendGroup = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const outcomes = await send(group.map(({ batch }) => batch));
      for (const [at, each] of group.entries()) {
        const outcome = outcomes[at] ?? { reason: 'the answer says nothing of it' };
        if (group.length > 1 && outcome.status !== undefined && isRefusal(outcome.status))
          waiting.push({ ...each, alone: true });
        else each.done(outcome);
      }
    } catch (error) {
      for (const { fail } of group) fail(error);
    }
  };
  return (batch) =>
    new Promise((done, fail) => {
      const bytes = Buffer.byteLength(JSON.stringify(batch.events));
      waiting.push({ batch, bytes, alone: bytes > MAX_BYTES, done, fail });
      next();
    });
}

/** The first that waits and those behind it that fit into its envelope: of its channel, within the bounds, no event twice. */
function groupOf([first, ...others]: readonly Waiting[]): Waiting[] {
  if (!first) return [];
  const group = [first];
  const ids = new Set(first.batch.events.map(({ id }) => id));
  let { bytes } = first;
  for (const other of first.alone ? [] : others) {
    const { channelId, events } = other.batch;
    if (other.alone || channelId !== first.batch.channelId) continue;
    if (ids.size + events.length > OUTBOX_BATCH || bytes + other.bytes > MAX_BYTES) continue;
    if (events.some(({ id }) => ids.has(id))) continue;
    group.push(other);
    bytes += other.bytes;
    for (const { id } of events) ids.add(id);
  }
  return group;
}
