import { sendJson } from '@aip/runtime/internal/http';
import express, { type Express } from 'express';
import type { Registry } from 'prom-client';

/** What the admin port reports. */
export interface AdminState {
  metrics: Registry;
  /** Whether the signed control plane answers. */
  serving(): boolean;
  /** Whether this process is the leader and, if so, whether it receives changes. */
  leading(): { leader: boolean; healthy: boolean; holder: string | undefined };
}

/** `/health`, `/ready` and `/metrics` for the cluster, on a port of its own: plain HTTP, never outside it. */
export function adminApp(state: AdminState): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/health', (_request, response) => {
    const { healthy } = state.leading();
    sendJson(response, healthy ? 200 : 503, { status: healthy ? 'ok' : 'stale', component: 'aip-controller' });
  });
  app.get('/ready', (_request, response) => {
    const serving = state.serving();
    sendJson(response, serving ? 200 : 503, { ready: serving, ...state.leading() });
  });
  app.get('/metrics', async (_request, response) => {
    response.type(state.metrics.contentType).send(await state.metrics.metrics());
  });
  return app;
}
