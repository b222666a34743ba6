import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callbackAdmission } from '#runtime/gateway/callbacks/admit.js';
import { type CallbackSenderOptions, openCallbackSender } from '#runtime/gateway/callbacks/attempt.js';
import { type Deliverer, type DelivererOptions, startDeliverer } from '#runtime/gateway/callbacks/deliverer.js';
import { deliveryOf, type NewDelivery } from '#runtime/gateway/callbacks/delivery.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  decodedDelivery,
  type StoredDelivery,
} from '#runtime/gateway/callbacks/record.js';
import type { Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Body, Callback } from '#runtime/protocol/types.js';
import { destinationPolicy } from '#runtime/transport/peer/destination.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';

export const key = signingKeyFromSeed('ab'.repeat(32));
export const principal = { id: 'service:gateway', kind: 'service', trust_domain: 'test' } as const;
/** Everything that the tests' own targets need, and nothing more. */
export const policy = destinationPolicy({ hosts: ['127.0.0.1'], allowHttp: true, allowPrivate: true });
export const admit = callbackAdmission(policy);

/** One message as it came to a target. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A callback target of a test. */
export interface Target {
  readonly callback: Callback;
  readonly received: Received[];
  /** Answers a message; a test sets it. */
  answer: (response: ServerResponse, message: Received) => unknown;
  close(): Promise<void>;
}

/** Starts a target that answers 204 until it is told otherwise. */
export async function startTarget(): Promise<Target> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const message = { headers: request.headers, text };
    received.push(message);
    await target.answer(response, message);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const target: Target = {
    callback: { profile: 'aip.native.http.v1', target: url },
    received,
    answer: (response) => response.writeHead(204).end(),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
  return target;
}

/** Starts a deliverer over a database; its bounds are the defaults unless given. */
export function startTestDeliverer(
  pool: Pool,
  options: Partial<DelivererOptions> & { sender?: never; sending?: Partial<CallbackSenderOptions> } = {},
): Deliverer {
  const { sending, ...rest } = options;
  const clock = rest.clock ?? Date.now;
  return startDeliverer({
    pool,
    clock,
    log: openLogger({ component: 'test', level: 'silent' }),
    gateway: { id: principal.id, kind: principal.kind },
    ...rest,
    sender: openCallbackSender({ policy, signer: () => ({ principal, key }), clock, ...sending }),
  });
}

/** A delivery of some result to a callback. */
export function newDelivery(callback: Callback, subject: Partial<NewDelivery> = {}): NewDelivery {
  const action_id = newId('action');
  const owner = {
    action_id,
    tenant_id: 'acme',
    principal_id: 'agent:desk',
    principal_kind: 'agent',
    session_id: null,
    correlation_id: null,
  };
  const body = { action_result: { action_id, status: 'completed' } } as Body;
  return { ...deliveryOf(owner, callback, body, Date.now()), ...subject };
}

/** Every stored delivery, in order. */
export async function storedDeliveries(pool: Pool): Promise<StoredDelivery[]> {
  const { rows } = await pool.query<DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM runtime.callback_deliveries d ORDER BY d.seq`,
  );
  return rows.map(decodedDelivery);
}

/** Waits until the delivery of an action is over. */
export function deliveredOf(pool: Pool, actionId: string): Promise<StoredDelivery> {
  return until(`the delivery of ${actionId} is over`, async () =>
    (await storedDeliveries(pool)).find((each) => each.action_id === actionId && each.completed_at !== null),
  );
}
