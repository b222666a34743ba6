import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../protocol/clock.js';
import { newEnvelope, signEnvelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import type { ConnectorEventRoute, Event, Manifest, Principal } from '../../protocol/types.js';
import type { Signer } from '../../transport/error-response.js';
import { ExchangeFailed } from '../../transport/exchange.js';
import type { Logger } from '../../transport/logger.js';
import type { EndpointClient } from '../central/endpoint-client.js';
import type { HostConfig } from '../config/config.js';
import { declaresChannel } from '../manifest/channels.js';
import { EventUnpublishable } from './normalize.js';
import type { Batch, Outbox } from './outbox.js';

const MAX_TAKEN = 100;
/** A 401 may only mean that the lease was renewed meanwhile; after this many the batch is put aside. */
const UNAUTHORIZED_ATTEMPTS = 5;
const MAX_DELAY_MS = 60_000;

/** Stages events and delivers what is staged. */
export interface EventPublisher {
  /** Stages a batch for a declared channel and wakes the worker. Throws EventUnpublishable, OutboxFull, StorageUnavailable. */
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
  /** The gateway under its active DID: whom events are addressed to. */
  gateway: () => Principal;
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
  let wake = new AbortController();

  const round = async (target: EndpointClient): Promise<void> => {
    if (options.leaseSequence() === undefined) return;
    for (const batch of await outbox.take(MAX_TAKEN)) await attempt(target, batch, options);
  };
  return {
    publish: async (channelId, events) => {
      if (!declaresChannel(manifest, channelId)) {
        throw new EventUnpublishable(`the manifest declares no channel ${channelId}`);
      }
      await outbox.stage(channelId, events);
      wake.abort();
    },
    work: async (signal) => {
      while (endpoint && !signal.aborted) {
        wake = new AbortController();
        await round(endpoint).catch((error) =>
          log.warn({ code: error.code, reason: error.message }, 'the outbox could not be worked on'),
        );
        const either = AbortSignal.any([signal, wake.signal]);
        await pause(750 + Math.random() * 500, undefined, { signal: either }).catch(() => undefined);
      }
    },
  };
}

async function attempt(endpoint: EndpointClient, batch: Batch, options: PublisherOptions): Promise<void> {
  const { outbox, clock, log } = options;
  const sequence = options.leaseSequence();
  const { status, error } = await send(endpoint, batch, sequence, options);
  if (status !== undefined && status >= 200 && status < 300) {
    await outbox.delivered(batch.key);
    return;
  }
  log.warn({ channel_id: batch.channelId, attempts: batch.attempts + 1, status }, 'events were not taken');
  if (isFinal(status, batch.attempts)) await outbox.park(batch.key, error);
  else await outbox.postpone(batch.key, error, clock() + delayAfter(batch.attempts + 1));
}

/** One attempt in a new envelope with the current lease sequence (spec 04 §3.11). */
async function send(
  endpoint: EndpointClient,
  { channelId, events }: Batch,
  sequence: number | undefined,
  { config, gateway, manifestDigest, signer, clock }: PublisherOptions,
): Promise<{ status?: number; error: string }> {
  if (sequence === undefined) return { error: 'no lease is held' };
  const route: ConnectorEventRoute = {
    tenant_id: config.tenant.id,
    instance_id: config.instanceId,
    replica_id: config.replicaId,
    version_id: config.versionId,
    manifest_digest: manifestDigest,
    lease_sequence: sequence,
    channel_id: channelId,
  };
  const envelope = newEnvelope(
    { event_stream: { events } },
    { to: gateway(), security: { connector_event: route } },
    { clock },
  );
  try {
    const signed = await signEnvelope(envelope, signer.principal, signer.key);
    const { status } = await endpoint.post(JSON.stringify(signed));
    return { status, error: `status ${status}` };
  } catch (error) {
    if (error instanceof ExchangeFailed || error instanceof AipError) return { error: error.message };
    throw error;
  }
}

/** Whether the same events can never be taken: shape, size or content are wrong, or the host stays unauthorized. */
function isFinal(status: number | undefined, earlier: number): boolean {
  if (status === 401) return earlier + 1 >= UNAUTHORIZED_ATTEMPTS;
  return status === 400 || status === 413 || status === 415;
}

/** 2, 4, 8 … 60 seconds, and up to one second more by chance. A first refusal is tried again sooner: a renewal may have crossed it. */
function delayAfter(attempts: number): number {
  const base = attempts === 1 ? 500 : Math.min(MAX_DELAY_MS, 1000 * 2 ** Math.min(attempts - 1, 6));
  return Math.round(base + Math.random() * 1000);
}
