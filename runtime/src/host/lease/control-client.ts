import type { Clock } from '../../protocol/clock.js';
import { AipError } from '../../protocol/errors.js';
import { PINNED_WORK } from '../../protocol/lifecycle.js';
import { retry } from '../../time/retry.js';
import { ExchangeFailed } from '../../transport/peer/exchange.js';
import type { EndpointClient } from '../central/endpoint-client.js';
import { type CommittedOutcome, checkResponse } from './check-response.js';
import type { SignedCommand } from './command.js';
import { LeaseUncertain } from './errors.js';

/** Sends signed commands to the control plane. */
export interface ControlClient {
  /**
   * Sends the exact bytes, once more at once when the outcome stays unknown (docs/protocol/control-plane.md#client). Throws LeaseRefused or LeaseUncertain.
   */
  send(command: SignedCommand): Promise<CommittedOutcome>;
}

/** Opens the client over the control endpoint; `controlDids` gives the only signers it trusts now. */
export function openControlClient({
  endpoint,
  controlDids,
  clock,
}: {
  endpoint: EndpointClient;
  controlDids: () => readonly string[];
  clock: Clock;
}): ControlClient {
  const once = async ({ text, requestId, command }: SignedCommand): Promise<CommittedOutcome> => {
    const { body, headers } = await answerOf(endpoint, text);
    const outcome = await checkResponse(body.toString('utf8'), {
      requestId,
      controlDids: controlDids(),
      now: clock(),
    });
    const wanted = command.operation === 'offline' ? 'offline' : 'lease';
    if (outcome.status !== wanted) throw new LeaseUncertain(`the answer to ${command.operation} is of another kind`);
    const pinned = headers?.[PINNED_WORK];
    return outcome.status === 'lease' && typeof pinned === 'string' && /^\d{1,9}$/.test(pinned)
      ? { ...outcome, pinned: Number(pinned) }
      : outcome;
  };
  return {
    send: (command) =>
      retry(() => once(command), {
        attempts: 2,
        delayMs: () => 0,
        retryable: (error) => error instanceof LeaseUncertain,
      }),
  };
}

async function answerOf(endpoint: EndpointClient, text: string): Promise<Awaited<ReturnType<EndpointClient['post']>>> {
  try {
    return await endpoint.post(text);
  } catch (cause) {
    if (cause instanceof ExchangeFailed || cause instanceof AipError) {
      throw new LeaseUncertain(`the control plane did not answer: ${cause.message}`, { cause });
    }
    throw cause;
  }
}
