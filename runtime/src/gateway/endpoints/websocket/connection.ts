import type { WebSocket } from 'ws';
import { NamedError } from '../../../protocol/errors/named-error.js';
import { AipError, FollowerTooSlow } from '../../../protocol/errors.js';
import { parseJsonBytes } from '../../../protocol/json.js';
import { MAX_WEBSOCKET_SUBSCRIPTIONS } from '../../../protocol/limits.js';
import type { Logger } from '../../../transport/process/logger.js';
import { answerEnvelope, type EnvelopeAnswerDeps } from '../../edge/answer-envelope.js';
import type { Identity } from '../../edge/identity.js';
import type { RequestContext } from '../../edge/request-context.js';
import { isControl, type Subscribe, subscribeOf, subscriptionIdOf } from './control.js';
import { ConnectionGone, openOutbox } from './outbox.js';
import { failureText, runSubscription, type SubscriptionDeps, WEBSOCKET_COMPONENT } from './subscription.js';

/** Frames of one connection that are answered at once; no further one is read meanwhile. */
const MAX_ANSWERING = 16;
/** Close code of a peer that does not read (RFC 6455 registry: try again later). */
const TRY_AGAIN_LATER = 1013;

/** What a connection needs. */
export interface ConnectionDeps extends SubscriptionDeps {
  readonly answers: EnvelopeAnswerDeps;
  /** Establishes the caller again for each frame: a token that was revoked since the upgrade ends here. */
  readonly authenticate: () => Promise<Identity>;
  /** Counts a frame of so many bytes while it is answered. Throws BodiesOverloaded. */
  readonly answering: (bytes: number) => () => void;
  readonly context: RequestContext;
  readonly log: Logger;
}

/** The subscription was replaced by another one under its id. */
class Replaced extends NamedError {}

/**
 * Serves one connection (docs/protocol/client-api.md#websocket): each text frame is an envelope, answered with one, or a subscribe
 * object. Binary frames and pongs are ignored. A peer that does not read for 30 seconds is closed with 1013. Returns what waits until no
 * subscription runs, and its last frame is written.
 */
export function serveConnection(deps: ConnectionDeps, socket: WebSocket): () => Promise<void> {
  const { log, context } = deps;
  const subscriptions = new Map<string, AbortController>();
  const running = new Set<Promise<void>>();
  const outbox = openOutbox((text, written) => socket.send(text, written));
  let answering = 0;

  const tooSlow = (error: unknown): void => {
    if (error instanceof ConnectionGone) return;
    log.debug({ request_id: context.requestId }, 'websocket peer does not read');
    socket.close(TRY_AGAIN_LATER, 'the peer does not read');
  };
  const send = async (make: () => string): Promise<void> => {
    await outbox.send(make).catch(tooSlow);
  };

  const answer = async (value: unknown): Promise<void> => {
    const { envelope } = await answerEnvelope(deps.answers, {
      read: async () => value,
      authenticate: deps.authenticate,
      component: WEBSOCKET_COMPONENT,
      context,
    });
    await send(() => JSON.stringify(envelope));
  };

  const subscribe = async (control: Record<string, unknown>): Promise<void> => {
    let asked: Partial<Subscribe> = { subscriptionId: subscriptionIdOf(control) as string };
    const controller = new AbortController();
    try {
      const wanted = subscribeOf(control);
      asked = wanted;
      const { subscriptionId } = wanted;
      const earlier = subscriptions.get(subscriptionId);
      if (!earlier && subscriptions.size >= MAX_WEBSOCKET_SUBSCRIPTIONS) throw new AipError('ws.subscription_capacity');
      earlier?.abort(new Replaced());
      subscriptions.set(subscriptionId, controller);
      await runSubscription(deps, await deps.authenticate(), wanted, outbox, controller.signal);
    } catch (error) {
      if (error instanceof Replaced || error instanceof ConnectionGone) return;
      if (error instanceof FollowerTooSlow) return tooSlow(error);
      if (!(error instanceof AipError)) log.warn({ err: error, request_id: context.requestId }, 'subscription failed');
      await send(() => failureText(deps, error, asked));
    } finally {
      const { subscriptionId } = asked;
      if (subscriptionId !== undefined && subscriptions.get(subscriptionId) === controller)
        subscriptions.delete(subscriptionId);
    }
  };

  /** Answers one frame; a follow continues on its own, everything else is waited for. */
  const take = async (data: Buffer): Promise<void> => {
    let value: unknown;
    try {
      value = parseJsonBytes(data);
    } catch (error) {
      const refusal = new AipError('ws.decode_failed', `the frame cannot be read: ${(error as Error).message}`);
      return send(() => failureText(deps, refusal, {}));
    }
    if (!isControl(value)) return answer(value);
    const done = subscribe(value).finally(() => running.delete(done));
    running.add(done);
    if (value.follow !== true) return done;
  };

  const takeCounted = async (data: Buffer): Promise<void> => {
    let answered: () => void;
    try {
      answered = deps.answering(data.length);
    } catch (refusal) {
      return send(() => failureText(deps, refusal, {}));
    }
    await take(data).finally(answered);
  };

  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) return;
    answering += 1;
    if (answering >= MAX_ANSWERING) socket.pause();
    takeCounted(data)
      .catch((error) => log.warn({ err: error, request_id: context.requestId }, 'websocket frame failed'))
      .finally(() => {
        answering -= 1;
        if (answering < MAX_ANSWERING && socket.isPaused) socket.resume();
      });
  });
  socket.on('ping', (data: Buffer) => {
    if (!outbox.offer((written) => socket.pong(data, false, written))) socket.terminate();
  });
  socket.on('error', (error) => log.debug({ err: error, request_id: context.requestId }, 'websocket failed'));
  socket.once('close', () => {
    outbox.close();
    for (const controller of subscriptions.values()) controller.abort(new ConnectionGone());
    subscriptions.clear();
  });
  return async () => void (await Promise.allSettled([...running]));
}
