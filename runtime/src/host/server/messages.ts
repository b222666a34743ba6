import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocumentStore } from '../../postgres/documents.js';
import type { Clock } from '../../protocol/clock.js';
import {
  bodyOf,
  checkEnvelopeRules,
  claimedSigner,
  decodeEnvelope,
  type Envelope,
  verifyEnvelope,
} from '../../protocol/envelope.js';
import {
  AipError,
  BodiesOverloaded,
  HostNotReady,
  SignatureInvalid,
  StorageUnavailable,
} from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import type { ActionResult, Cancel, ConnectorRoute } from '../../protocol/types.js';
import { RequestAborted, readBody } from '../../transport/http/body.js';
import { type BodyBudget, budgetOf } from '../../transport/http/body-budget.js';
import { type Signer, sendDirectError } from '../../transport/http/error-response.js';
import type { Logger } from '../../transport/process/logger.js';
import { type Attributes, type SpanStart, traced } from '../../transport/telemetry/telemetry.js';
import { parseTraceparent } from '../../transport/telemetry/trace-context.js';
import type { CredentialPolicySource } from '../credentials/policy.js';
import type { Executor } from '../execution/executor.js';
import type { RunningActions } from '../execution/running.js';
import type { Facts, HostIdentity, HostSituation } from '../gate/facts.js';
import { refusalOf } from '../gate/gate.js';
import { awaitLease } from '../lease/await-lease.js';
import type { HostMetrics } from '../metrics/metrics.js';
import { answerTo } from './answer.js';
import { answered } from './document.js';

/** What the data plane is made of. */
export interface MessageOptions {
  host: HostIdentity;
  situation: () => HostSituation;
  /** Is a lease to be expected within moments? */
  leaseOnItsWay: () => boolean;
  credentialPolicy: CredentialPolicySource;
  importApproval: Facts['importApproval'];
  executor: Executor;
  running: RunningActions;
  signer: Signer;
  documents: DocumentStore;
  metrics: HostMetrics;
  maxBodyBytes: number;
  clock: Clock;
  log: Logger;
  /** Called when the storage failed under a request, so that readiness is checked again at once. */
  onStorageFault: () => void;
}

/** Handler of POST /aip/v1/messages: schema and decode (unsigned refusals), the gate, then execution (signed answers). */
export function messageHandler(options: MessageOptions) {
  const { metrics, clock, signer, log } = options;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    metrics.requests += 1;
    const startedAt = Date.now();
    let envelope: Envelope;
    let bytes: number;
    try {
      const text = await readBody(request, options.maxBodyBytes, { json: true });
      bytes = Buffer.byteLength(text);
      envelope = decodeEnvelope(parseJson(text));
    } catch (error) {
      metrics.rejected += 1;
      if (!(error instanceof RequestAborted)) sendDirectError(response, error);
      return;
    }
    const answer = answerTo(envelope, signer, clock);
    const budget = budgetOf(request);
    let leave = (): void => undefined;
    await traced('POST /aip/v1/messages', requestSpan(request, envelope, startedAt), async (span) => {
      try {
        leave = enter(budget, bytes, UNVERIFIED);
        const facts = await traced('aip.host.gate', {}, () => admitted(envelope, options));
        leave();
        leave = enter(budget, bytes);
        const outcome = await traced('aip.host.execute', { attributes: fieldsOf(envelope) }, async (execution) => {
          const result = await resultOf(facts, options.executor);
          if (result.error) execution.fail(result.error.code);
          return result;
        });
        const { result, document } = await answered(outcome, request, options.documents);
        span.set({ 'http.response.status_code': 200 });
        await answer.result(response, { action_result: result }, document);
      } catch (error) {
        metrics.rejected += 1;
        if (causedByStorage(error)) options.onStorageFault();
        const refusal =
          error instanceof AipError ? error : new AipError('connector_host.execution', undefined, { cause: error });
        span.set({ 'http.response.status_code': refusal.status, 'error.type': refusal.code });
        if (refusal.status >= 500) span.fail(refusal.code);
        log.info({ code: refusal.code, status: refusal.status, message_id: envelope.message_id }, 'message refused');
        if (!(error instanceof AipError)) log.error({ err: error }, 'message failed');
        await answer.error(response, refusal);
      } finally {
        leave();
      }
    });
  };
}

/** Senders of bodies whose signature is not verified yet: together they hold at most half of what may be answered. */
const UNVERIFIED = 'unverified';

/** Counts a body while it is checked and answered. Throws `connector_host.capacity`. */
function enter(budget: BodyBudget, bytes: number, sender?: string): () => void {
  try {
    return budget.answer(bytes, sender);
  } catch (error) {
    if (error instanceof BodiesOverloaded) throw new AipError('connector_host.capacity', error.message);
    throw error;
  }
}

/** What is known of a message that passed the gate. Throws the refusal of one that did not. */
async function admitted(envelope: Envelope, options: MessageOptions): Promise<Facts> {
  const facts = await factsOf(envelope, options);
  const refusal = (await refusalOf(facts)) ?? rulesProblem(envelope);
  if (refusal) throw refusal;
  return facts;
}

/** The span of a message, which continues the gateway's: its context comes in a header, since the signed content is closed. */
function requestSpan({ headers }: IncomingMessage, envelope: Envelope, startedAt: number): SpanStart {
  const http = { 'http.request.method': 'POST', 'http.route': '/aip/v1/messages' };
  const parent = parseTraceparent(headers.traceparent);
  return { kind: 'server', parent, startedAt, attributes: { ...http, ...fieldsOf(envelope) } };
}

function fieldsOf(envelope: Envelope): Attributes {
  const action = bodyOf(envelope, 'action');
  return {
    'aip.message_id': envelope.message_id,
    'aip.action_id': action?.id,
    'aip.capability_id': action?.capability_id,
  };
}

async function factsOf(envelope: Envelope, options: MessageOptions): Promise<Facts> {
  const action = bodyOf(envelope, 'action');
  const { connector_route: route } = (envelope.security ?? {}) as { connector_route?: Record<string, unknown> };
  const signer = await signerOf(envelope, options.situation().gatewayDids);
  const running = action !== undefined && options.running.has(action.id);
  const mayWait = action !== undefined && !running && signer !== undefined;
  if (mayWait) await awaitLease(options.leaseOnItsWay);
  return {
    host: options.host,
    signer,
    situation: options.situation(),
    now: options.clock(),
    envelope,
    route: typeof route === 'object' && route !== null ? route : undefined,
    action,
    cancel: bodyOf(envelope, 'cancel'),
    running,
    recorded: async (asked) => (await options.executor.recordedResult(asked)) !== undefined,
    credentialPolicy: options.credentialPolicy,
    recordedCapability: options.executor.recordedCapability,
    importApproval: options.importApproval,
  };
}

/** Who signed, where that is one of these; the signature of any other key is not verified, since anybody can make one. */
async function signerOf(envelope: Envelope, trusted: readonly string[]): Promise<string | undefined> {
  try {
    if (!trusted.includes(claimedSigner(envelope))) return undefined;
    return await verifyEnvelope(envelope);
  } catch (error) {
    if (error instanceof SignatureInvalid) return undefined;
    throw error;
  }
}

/** Rules of the record itself; they come after trust, because their refusal is signed. */
function rulesProblem(envelope: Envelope): AipError | undefined {
  try {
    checkEnvelopeRules(envelope);
    return undefined;
  } catch (error) {
    if (error instanceof AipError) return new AipError('action.invalid_input', error.message, { cause: error });
    throw error;
  }
}

function resultOf(facts: Facts, executor: Executor): Promise<ActionResult> {
  const { envelope, action, cancel, route } = facts;
  const gateway = { ...facts.host.gateway, did: facts.signer as string };
  if (action) return executor.deliver({ envelope, action, route: route as ConnectorRoute, gateway });
  const { target } = cancel as Cancel;
  return executor.cancel(envelope, 'action' in target ? target.action : '');
}

function causedByStorage(error: unknown): boolean {
  return (
    error instanceof StorageUnavailable || (error instanceof HostNotReady && error.cause instanceof StorageUnavailable)
  );
}
