import { readBody, sendDirectError, sendJson } from '@aip/runtime/internal/http';
import {
  AipError,
  JsonInvalid,
  newLifecycleResponse,
  PINNED_WORK,
  type SignedLifecycleResponse,
  signValue,
} from '@aip/runtime/internal/messages';
import { type Pool, schemaVersion } from '@aip/runtime/internal/postgres';
import { type Logger, parseTraceparent, type SpanStart, traced } from '@aip/runtime/internal/program';
import { MAX_LIFECYCLE_BYTES } from '@aip/runtime/internal/protocol';
import { REGISTRY_SCHEMA_VERSION } from '@aip/runtime/internal/registry';
import { parseJson, type SigningKey } from '@aip/runtime/internal/signing';
import express, { type Express, type Request, type Response } from 'express';
import { type DecisionDeps, decide, readRequest } from './decide.js';

const COMPONENT = 'aip-connector-control-plane';
const CONTROL_PATH = '/aip/v1/connector-control';

/** What the routes of a control plane work with. */
export interface ControlPlaneDeps extends DecisionDeps {
  readonly pool: Pool;
  /** The key that signs now; read for every answer. */
  readonly key: () => SigningKey;
  readonly log: Logger;
}

/** Open, idle and most connections (docs/protocol/control-plane.md#process). A control plane has no control pool. */
export interface PoolSnapshot {
  control_size: number;
  control_idle: number;
  control_max: number;
  data_size: number;
  data_idle: number;
  data_max: number;
}

/** The four routes of the connector control plane (docs/protocol/control-plane.md); everything else is 404 or 405. */
export function controlPlaneApp(deps: ControlPlaneDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.enable('strict routing');
  app.enable('case sensitive routing');
  const get = (path: string, handler: (request: Request, response: Response) => void | Promise<void>): void => {
    app.get(path, handler);
    app.all(path, (_request, response) => {
      response.setHeader('allow', 'GET, HEAD');
      sendDirectError(response, new AipError('http.method_not_allowed'));
    });
  };
  get('/health', (_request, response) => sendJson(response, 200, { status: 'ok', component: COMPONENT }));
  get('/ready', async (_request, response) => {
    const { status, body } = await readiness(deps);
    sendJson(response, status, body);
  });
  get('/metrics', (_request, response) => sendJson(response, 200, poolSnapshot(deps.pool)));
  app.post(CONTROL_PATH, (request, response) => control(deps, request, response));
  app.all(CONTROL_PATH, (_request, response) => {
    response.setHeader('allow', 'POST');
    sendDirectError(response, new AipError('http.method_not_allowed'));
  });
  app.use((_request, response) => sendDirectError(response, new AipError('http.not_found')));
  return app;
}

/** POST /aip/v1/connector-control: unsigned 4xx for what cannot be decoded, a signed wrapper for everything else, unsigned 500 when signing fails. */
async function control(deps: ControlPlaneDeps, request: Request, response: Response): Promise<void> {
  let wrapper: ReturnType<typeof readRequest>;
  try {
    wrapper = readRequest(parseJson(await readBody(request, MAX_LIFECYCLE_BYTES, { json: true })));
  } catch (error) {
    const known = error instanceof AipError ? error : new AipError('connector_control.invalid_request');
    sendDirectError(
      response,
      known instanceof JsonInvalid ? new AipError('connector_control.invalid_request', known.message) : known,
    );
    return;
  }
  const { operation } = wrapper.request.command;
  const decision = await traced(`POST ${CONTROL_PATH}`, commandSpan(request, operation), async (span) => {
    const decided = await decide(deps, wrapper);
    span.set({ 'http.response.status_code': decided.status });
    if (decided.status >= 500) span.fail(String(decided.status));
    return decided;
  });
  if (decision.status === 200)
    deps.log.debug({ operation, request_id: decision.requestId }, 'lifecycle command committed');
  else if (decision.status === 403)
    deps.log.info(
      { operation, request_id: decision.requestId, status: decision.status, reason: decision.reason },
      'lifecycle command refused',
    );
  else
    deps.log.warn(
      { operation, request_id: decision.requestId, status: decision.status, err: decision.cause },
      'lifecycle command failed',
    );
  try {
    const key = deps.key();
    const { outcome } = decision;
    const body = newLifecycleResponse(decision.requestId, outcome, { did: key.did, clock: deps.clock });
    // No member of the signed answer, whose form is closed.
    if (outcome.status === 'lease' && outcome.pinned !== undefined)
      response.setHeader(PINNED_WORK, String(outcome.pinned));
    const signed: SignedLifecycleResponse = { response: body, signature: await signValue(body, key) };
    sendJson(response, decision.status, signed);
  } catch (cause) {
    deps.log.error({ err: cause }, 'the lifecycle answer could not be signed');
    sendDirectError(response, new AipError('connector_control.response_signing'));
  }
}

function commandSpan({ headers }: Request, operation: string): SpanStart {
  const http = { 'http.request.method': 'POST', 'http.route': CONTROL_PATH };
  const attributes = { ...http, 'aip.lifecycle.operation': operation };
  return { kind: 'server', parent: parseTraceparent(headers.traceparent), attributes };
}

/** 200 while the schema is the expected one and the catalog is readable, else 503 with what is wrong (docs/protocol/control-plane.md#process). */
async function readiness(deps: ControlPlaneDeps): Promise<{ status: number; body: object }> {
  const version = await schemaVersion(deps.pool, 'registry').catch(() => undefined);
  const revision = await catalogRevision(deps.pool).catch(() => undefined);
  const schemaOk = version === REGISTRY_SCHEMA_VERSION;
  if (schemaOk && revision !== undefined) {
    const body = { status: 'ready', component: COMPONENT, schema_version: version, catalog_revision: revision };
    return { status: 200, body: { ...body, pools: poolSnapshot(deps.pool) } };
  }
  return {
    status: 503,
    body: { status: 'not_ready', component: COMPONENT, schema_ok: schemaOk, catalog_ok: revision !== undefined },
  };
}

async function catalogRevision(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ revision: number }>('SELECT revision FROM registry.catalog');
  return rows[0]?.revision;
}

function poolSnapshot(pool: Pool): PoolSnapshot {
  return {
    control_size: 0,
    control_idle: 0,
    control_max: 0,
    data_size: pool.size(),
    data_idle: pool.idle(),
    data_max: pool.max,
  };
}
