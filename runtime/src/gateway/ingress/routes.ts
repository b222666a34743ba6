import type { ServerResponse } from 'node:http';
import { type Request, Router } from 'express';
import { AipError, BodiesOverloaded } from '../../protocol/errors.js';
import { RequestAborted, readBody } from '../../transport/http/body.js';
import { budgetOf, SIGNING_SENDERS } from '../../transport/http/body-budget.js';
import { sendError, sendJson } from '../../transport/http/error-response.js';
import { NO_TURN } from '../../transport/http/turns.js';
import { unverifiedTurn } from '../../transport/http/unverified.js';
import { type HttpEdgeDeps, serve } from '../edge/http-edge.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Ingress } from './ingress.js';

/** Canonical path of provider events. */
export const EVENTS_PATH = '/aip/v1/connector-events';
/** Canonical path of stream chunks. */
export const CALLBACKS_PATH = '/aip/v1/connector-callbacks';

/**
 * POST /aip/v1/connector-events and /aip/v1/connector-callbacks: one handler, which goes by the envelope's body, without bearer
 * (docs/protocol/ingress.md). 200 with a signed EventStream; errors as docs/protocol/ingress.md#checks. Without an ingress both
 * answer 404 connector_event.not_configured.
 */
export function ingressRoutes(deps: HttpEdgeDeps & { ingress?: Ingress | undefined; metrics: Metrics }): Router {
  const { ingress, metrics, clock } = deps;
  /** Both paths share the counters (docs/protocol/client-api.md#metrics). */
  const count = (what: 'received' | 'accepted' | 'rejected'): void =>
    metrics.count(`aip_connector_event_ingress_${what}_total`);
  const handle = async (request: Request, response: ServerResponse): Promise<void> => {
    count('received');
    let answered = (): void => undefined;
    let turn = NO_TURN;
    try {
      if (!ingress) {
        request.resume();
        throw new AipError('connector_event.not_configured');
      }
      const read = async (): Promise<string> => {
        const body = await readBody(request, ingress.limits.maxEnvelopeBytes, { json: true });
        const bytes = Buffer.byteLength(body);
        answered = budgetOf(request).answer(bytes, SIGNING_SENDERS);
        turn = await unverifiedTurn(request, bytes);
        return body;
      };
      const { status, envelope } = await ingress.handle(await read().catch(asCapacity), turn);
      count(status === 200 ? 'accepted' : 'rejected');
      sendJson(response, status, envelope);
    } catch (error) {
      count('rejected');
      if (!(error instanceof RequestAborted)) await sendError(response, error, { clock });
    } finally {
      turn.end();
      answered();
    }
  };
  const router = Router();
  for (const path of [EVENTS_PATH, CALLBACKS_PATH]) serve(router, deps, path, { post: handle });
  return router;
}

/** A body that had to give way is refused as every other want of capacity here. */
function asCapacity(error: unknown): never {
  throw error instanceof BodiesOverloaded ? new AipError('connector_event.capacity') : error;
}
