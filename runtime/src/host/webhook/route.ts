import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyTooLarge } from '../../protocol/errors.js';
import { RequestAborted } from '../../transport/http/body.js';
import { sendDirectError, sendJson } from '../../transport/http/error-response.js';
import type { Logger } from '../../transport/process/logger.js';
import { type BodyReader, openBodyReader } from './bodies.js';
import { acceptDelivery, type Delivery, type WebhookIngressOptions } from './ingress.js';
import { WebhookRefused } from './refusal.js';
import { type DeliveryHeaders, readHeaders } from './request.js';

/** Deliveries since the process started, by what became of them. */
export interface WebhookCounts {
  accepted: number;
  suppressed: number;
  /** Refused before they were known to be the provider's. */
  refused: number;
  /** Authentic, and refused all the same: the provider may not send them again. */
  lost: number;
}

/** The webhook route of a host. */
export interface WebhookRoute {
  readonly path: string;
  readonly counts: Readonly<WebhookCounts>;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Opens the route of POST /webhooks/<provider>. */
export function openWebhookRoute(options: WebhookIngressOptions & { log: Logger }): WebhookRoute {
  const { names, log } = options;
  const bodies: BodyReader = openBodyReader();
  const counts: WebhookCounts = { accepted: 0, suppressed: 0, refused: 0, lost: 0 };

  const refuse = (response: ServerResponse, refusal: WebhookRefused, delivery: Partial<Delivery>): void => {
    const facts = { code: refusal.code, reason: refusal.message, delivery_id: delivery.headers?.deliveryId };
    if (delivery.authentic) {
      counts.lost += 1;
      log.error(facts, 'authentic webhook delivery refused');
    } else {
      counts.refused += 1;
      log.warn(facts, 'webhook delivery refused');
    }
    sendJson(response, refusal.status, { error: { code: refusal.code } });
  };
  const accept = async (response: ServerResponse, delivery: Delivery): Promise<void> => {
    try {
      const outcome = await acceptDelivery(delivery, options);
      if (outcome.accepted_events === 1) counts.accepted += 1;
      else counts.suppressed += 1;
      sendJson(response, 200, outcome);
    } catch (error) {
      if (error instanceof WebhookRefused) return refuse(response, error, delivery);
      log.error({ err: error, delivery_id: delivery.headers.deliveryId }, 'webhook delivery failed');
      refuse(response, new WebhookRefused('webhook.invalid_mapping', 'an unexpected error', error), delivery);
    }
  };
  return {
    path: names.path,
    counts,
    handle: async (request, response) => {
      const headers = headersOf(request, options);
      const given = !(headers instanceof WebhookRefused);
      try {
        await bodies.read(request, given, (body) =>
          given
            ? accept(response, { headers, body, authentic: false })
            : Promise.resolve(refuse(response, headers, {})),
        );
      } catch (error) {
        if (error instanceof RequestAborted) return;
        if (error instanceof BodyTooLarge) counts.refused += 1;
        sendDirectError(response, error);
      }
    },
  };
}

/** The checked headers, or why they are refused: the answer waits for the body, since a body that is too large is refused before. */
function headersOf(request: IncomingMessage, { names }: WebhookIngressOptions): DeliveryHeaders | WebhookRefused {
  try {
    return readHeaders(request.headersDistinct, names);
  } catch (error) {
    if (error instanceof WebhookRefused) return error;
    throw error;
  }
}
