import type { Clock } from '../../protocol/clock.js';
import { type Envelope, newEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import type { ConnectorEventRoute, Event, Manifest } from '../../protocol/types.js';
import { within } from '../../time/deadline.js';
import { jittered } from '../../time/retry.js';
import { openWaker, pollLoop } from '../../time/wait.js';
import type { Signer } from '../../transport/http/error-response.js';
import { ExchangeFailed } from '../../transport/peer/exchange.js';
import type { Logger } from '../../transport/process/logger.js';
import { AnswerUntrusted, type CentralServer, deliver } from '../central/deliver.js';
import type { EndpointClient } from '../central/endpoint-client.js';
import type { HostConfig } from '../config/config.js';
import { declaresChannel } from '../manifest/channels.js';
import { combined, type SendOutcome } from './combine.js';
import { EventUnpublishable } from './normalize.js';
import type { Batch, Outbox } from './outbox.js';

/** Batches that the worker takes with one statement, and how many it delivers at once while they are small. Each may have 4 MiB. */
const PAGE = 8;
const MOST_RUNNING = 64;
/** Bytes of events with which the worker takes no further page. */
const HELD_BYTES = 32 * 1_048_576;
/** Attempts right after the staging that may run at once; further batches are the worker's. */
const MAX_IMMEDIATE = 32;
/** How long a submission waits for the central server, in milliseconds: less than providers wait for an answer. */
const IMMEDIATE_MS = 2000;
/** A 401 may only mean that the lease was renewed meanwhile, a 404 that a gateway is being set up; after this many the batch is put aside. */
const MAX_REFUSALS = 5;
/** Pauses of the worker: while batches may be due, and the longest, after which it finds those of a replica that ended; in milliseconds. */
const POLL_MS = 1000;
const IDLE_MS = 10_000;
/** Statuses that say: these very events can never be taken, for their shape, size or content. */
const FINAL = [400, 413, 415];
/** Statuses that say nothing about the events: too late, too early, too many. */
const PASSING = [408, 425, 429];
const MAX_DELAY_MS = 60_000;

/** What is known of a batch when its submission ends: the central server has it, or the outbox alone. */
export type CentralDelivery = 'centrally_acknowledged' | 'durably_queued';

/** Stages events and delivers what is staged. */
export interface EventPublisher {
  /** Refuses what `submit` would refuse for its channel, shape or size. Throws EventUnpublishable. */
  check(channelId: string, events: readonly Event[]): void;
  /**
   * Stages a batch for a declared channel and attempts to deliver it immediately, waiting for at most 2 seconds; an attempt that takes
   * longer continues. Fails as `stage` does.
   */
  submit(channelId: string, events: readonly Event[]): Promise<CentralDelivery>;
  /** Stages a batch for a declared channel and wakes the worker. Fails as `stage` does. */
  publish(channelId: string, events: readonly Event[]): Promise<void>;
  /** Delivers until `signal` fires; never rejects. */
  work(signal: AbortSignal): Promise<void>;
}

/** What a publisher is made of. */
export interface PublisherOptions {
  /** Absent: events stay staged, because this host has no event endpoint. */
  endpoint: EndpointClient | undefined;
  outbox: Outbox;
  config: HostConfig;
  /** Whom events are addressed to, under the first of its DIDs. */
  central: CentralServer;
  manifest: Manifest;
  manifestDigest: string;
  signer: Signer;
  /** Sequence of the lease that is held now; undefined when none is. A draining host still holds one. */
  leaseSequence: () => number | undefined;
  clock: Clock;
  log: Logger;
}

/** Opens the publisher of a host. */
export function openEventPublisher(options: PublisherOptions): EventPublisher {
  const { endpoint, outbox, manifest, log } = options;
  const ending = new AbortController();
  const attempts = endpoint && openAttempts(endpoint, options, ending.signal);
  const waker = openWaker();
  let immediate = 0;

  const mustBeDeclared = (channelId: string): void => {
    if (declaresChannel(manifest, channelId)) return;
    throw new EventUnpublishable(`the manifest declares no channel ${channelId}`);
  };
  const attemptNow = async (batch: Batch): Promise<boolean> => {
    try {
      return (await attempts?.begin(batch)) ?? false;
    } catch (error) {
      const { code, message: reason } = error as { code?: string; message: string };
      if (!ending.signal.aborted) log.warn({ key: batch.key, code, reason }, 'immediate delivery failed');
      return false;
    }
  };
  const deliverAll = (attempts: Attempts, signal: AbortSignal): Promise<void> => {
    let pause = POLL_MS;
    let expected = true;
    const deliver = async (): Promise<void> => {
      waker.forget();
      pause = POLL_MS;
      if (options.leaseSequence() === undefined) return;
      // Taking batches costs more than the time of the next one, which is all that an idle worker reads.
      if (!expected) {
        const waitMs = await untilDue(options);
        if (waitMs > 0) {
          pause = Math.max(POLL_MS, waitMs);
          return;
        }
      }
      await deliverDue(attempts, options, signal);
      expected = waker.woken();
      pause = Math.max(POLL_MS, await untilDue(options));
    };
    return pollLoop(deliver, {
      signal,
      everyMs: () => jittered(pause, 0.25),
      pause: async (ms, ended) => {
        expected = (await waker.pause(ms, ended)) || expected;
      },
      failed: (error) => {
        const { code, message: reason } = error as { code?: string; message: string };
        if (!signal.aborted) log.warn({ code, reason }, 'the outbox could not be worked on');
      },
    });
  };
  return {
    check: (channelId, events) => {
      mustBeDeclared(channelId);
      outbox.check(channelId, events);
    },
    publish: async (channelId, events) => {
      mustBeDeclared(channelId);
      await outbox.stage(channelId, events);
      waker.wake();
    },
    submit: async (channelId, events) => {
      mustBeDeclared(channelId);
      const free = attempts !== undefined && immediate < MAX_IMMEDIATE && options.leaseSequence() !== undefined;
      if (free) immediate += 1;
      try {
        const batch = await outbox.stage(channelId, events, { take: free });
        if (batch && attempts)
          return (await within(IMMEDIATE_MS, attemptNow(batch), () => false)) ? ACKNOWLEDGED : QUEUED;
      } finally {
        if (free) immediate -= 1;
      }
      waker.wake();
      return QUEUED;
    },
    work: async (signal) => {
      if (attempts) await deliverAll(attempts, signal);
      ending.abort();
      await attempts?.ended();
    },
  };
}

/** The attempts of one host that are under way. */
interface Attempts {
  /** Attempts to deliver a batch; true when the central server has it. */
  begin(batch: Batch): Promise<boolean>;
  /** Keys of the batches that an attempt runs for. */
  keys(): string[];
  ended(): Promise<unknown>;
}

function openAttempts(endpoint: EndpointClient, options: PublisherOptions, signal: AbortSignal): Attempts {
  const inFlight = new Map<string, Promise<boolean>>();
  const sent = combined((batches) => send(endpoint, batches, options, signal), isRefusal);
  return {
    begin: (batch) => {
      const running = attempt(batch, sent, options).finally(() => inFlight.delete(batch.key));
      inFlight.set(batch.key, running);
      return running;
    },
    keys: () => [...inFlight.keys()],
    ended: () => Promise.allSettled(inFlight.values()),
  };
}

/** Delivers everything that is due, page by page, within the bounds of what may be held at once. */
async function deliverDue(
  attempts: Attempts,
  { outbox, leaseSequence }: PublisherOptions,
  signal: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: unknown;
  let held = 0;
  const begin = (batch: Batch): void => {
    const bytes = Buffer.byteLength(JSON.stringify(batch.events));
    held += bytes;
    const one: Promise<void> = attempts
      .begin(batch)
      .then(
        () => undefined,
        (error: unknown) => {
          failure ??= error;
        },
      )
      .finally(() => {
        held -= bytes;
        running.delete(one);
      });
    running.add(one);
  };
  let more = true;
  while (more && !signal.aborted && failure === undefined && leaseSequence() !== undefined) {
    const batches = await outbox.take(PAGE, attempts.keys());
    for (const batch of batches) begin(batch);
    more = batches.length === PAGE;
    while (more && (running.size > MOST_RUNNING - PAGE || held > HELD_BYTES)) await Promise.race(running);
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure;
}

/** Until the next batch is due; at most the longest pause, and 0 or less for one that is due. */
async function untilDue({ outbox, clock }: PublisherOptions): Promise<number> {
  const at = await outbox.next();
  return at === null ? IDLE_MS : Math.min(at - clock(), IDLE_MS);
}

const [ACKNOWLEDGED, QUEUED] = ['centrally_acknowledged', 'durably_queued'] as const;

/** One attempt of one batch, and what becomes of the batch by it; true when the central server has it. */
async function attempt(
  batch: Batch,
  sent: (batch: Batch) => Promise<SendOutcome>,
  { outbox, clock, log }: PublisherOptions,
): Promise<boolean> {
  const { status, reason } = await sent(batch);
  if (reason === undefined) {
    await outbox.delivered(batch.key);
    return true;
  }
  const refused = status !== undefined && isRefusal(status);
  const batchFields = { key: batch.key, channel_id: batch.channelId, events: batch.events.length, reason };
  if (refused && (FINAL.includes(status) || batch.refusals + 1 >= MAX_REFUSALS)) {
    await outbox.park(batch.key, reason);
    log.error(batchFields, 'events were put aside: the central server will not take them');
    return false;
  }
  log.warn({ ...batchFields, attempts: batch.attempts + 1 }, 'events were not taken; they stay staged');
  await outbox.postpone(batch.key, { reason, refused }, clock() + delayAfter(batch.attempts + 1));
  return false;
}

/** Sends batches of one channel in a new envelope with the current lease sequence; returns what came of each. */
async function send(
  endpoint: EndpointClient,
  batches: readonly Batch[],
  options: PublisherOptions,
  signal: AbortSignal,
): Promise<SendOutcome[]> {
  const { central, clock } = options;
  const all = (outcome: SendOutcome): SendOutcome[] => batches.map(() => outcome);
  const sequence = options.leaseSequence();
  if (sequence === undefined) return all({ reason: 'no lease is held' });
  try {
    const envelope = await envelopeOf(batches, sequence, options);
    const message = { envelope, text: JSON.stringify(envelope) };
    const delivery = await deliver(endpoint, message, { central, clock, signal });
    if (!delivery.taken) return all(delivery);
    const stored = new Set(delivery.events.map(({ id }) => id));
    return batches.map(({ events }) =>
      events.every(({ id }) => stored.has(id)) ? {} : { reason: 'the answer names other events' },
    );
  } catch (error) {
    const failed = error instanceof ExchangeFailed || error instanceof AnswerUntrusted || error instanceof AipError;
    if (!failed) throw error;
    return all({ reason: error.message });
  }
}

/** The signed envelope of batches of one channel: the route says what this host is now (docs/protocol/host.md#outbox). */
function envelopeOf(
  batches: readonly Batch[],
  sequence: number,
  { config, central, manifestDigest, signer, clock }: PublisherOptions,
): Promise<Envelope> {
  const route: ConnectorEventRoute = {
    tenant_id: config.tenant.id,
    instance_id: config.instanceId,
    replica_id: config.replicaId,
    version_id: config.versionId,
    manifest_digest: manifestDigest,
    lease_sequence: sequence,
    channel_id: batches[0]?.channelId as string,
  };
  const events = batches.flatMap((batch) => batch.events);
  const to = { ...central.principal, did: central.dids()[0] as string };
  const envelope = newEnvelope({ event_stream: { events } }, { to, security: { connector_event: route } }, { clock });
  return signEnvelope(envelope, signer.principal, signer.key);
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !PASSING.includes(status);
}

/** 2, 4, 8 … 60 seconds, and up to one second more by chance. A first failure is tried again sooner: a renewal may have crossed it. */
function delayAfter(attempts: number): number {
  const base = attempts === 1 ? 500 : Math.min(MAX_DELAY_MS, 1000 * 2 ** Math.min(attempts - 1, 6));
  return Math.round(base + Math.random() * 1000);
}
