import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { sendDirectError, sendJson } from '../../transport/http/error-response.js';
import { METRICS_TYPE } from '../metrics/metrics.js';

/** What the routes of a host answer (docs/protocol/host.md#checks). */
export interface Routes {
  ready: () => Promise<{ status: 200 | 503; body: object }>;
  metrics: () => string;
  /** JSON text of the bound manifest; the same for the life of the process. */
  manifest: string;
  messages: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** POST routes of webhook deliveries, by their paths; none on a host without a webhook secret. */
  webhooks?: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>>;
}

const HEALTH = JSON.stringify({ status: 'ok', protocol: 'AIP', version: '1.0', service: 'aip-connector-host' });
const METHODS: Record<string, 'GET' | 'POST'> = {
  '/health': 'GET',
  '/ready': 'GET',
  '/metrics': 'GET',
  '/aip/v1/manifest': 'GET',
  '/aip/v1/messages': 'POST',
};

/** The listener: five routes and those of webhooks, 405 for another method on them, 404 for everything else. */
export function hostRoutes(routes: Routes): RequestListener {
  const { webhooks = {} } = routes;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?', 1)[0] as string;
    const webhook = Object.hasOwn(webhooks, path) ? webhooks[path] : undefined;
    const method = webhook ? 'POST' : Object.hasOwn(METHODS, path) ? METHODS[path] : undefined;
    const asked = request.method === 'HEAD' ? 'GET' : request.method;
    if (method === undefined || asked !== method) {
      request.resume();
      response.writeHead(method === undefined ? 404 : 405, method === undefined ? {} : { allow: method }).end();
      return;
    }
    if (webhook) return webhook(request, response);
    switch (path) {
      case '/health':
        return sendJson(response, 200, HEALTH);
      case '/ready': {
        const { status, body } = await routes.ready();
        return sendJson(response, status, body);
      }
      case '/metrics':
        response.writeHead(200, { 'content-type': METRICS_TYPE }).end(routes.metrics());
        return;
      case '/aip/v1/manifest':
        return sendJson(response, 200, routes.manifest);
      default:
        await routes.messages(request, response);
    }
  };
  return (request, response) => {
    handle(request, response).catch((error) => sendDirectError(response, error));
  };
}
