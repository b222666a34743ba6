import type { Clock } from '../../protocol/clock.js';
import { newLifecycleRequest, signValue } from '../../protocol/lifecycle.js';
import type { SigningKey } from '../../protocol/signing.js';
import { parseTime } from '../../protocol/time.js';
import type { LifecycleCommand, LifecycleRequest, SignedLifecycleRequest } from '../../protocol/types.js';

/** A signed lifecycle command; `text` is exactly what goes over the wire, also when it is sent again. */
export interface SignedCommand {
  command: LifecycleCommand;
  requestId: string;
  /** End of the request's window, milliseconds since the epoch; the control plane takes it until then. */
  expiresAt: number;
  text: string;
}

/** Who signs lifecycle commands, and when. */
export interface CommandSigner {
  key: SigningKey;
  clock: Clock;
}

/** Signs a command under a new request id, with a window of 30 seconds from now (docs/protocol/limits.md). */
export function signCommand(command: LifecycleCommand, signer: CommandSigner): Promise<SignedCommand> {
  return sign(newRequest(command, signer), signer);
}

/**
 * The same request id and command in a new window, for an outcome that is still unknown after the window ended. The control plane sees
 * a repeat by the id and the command (docs/protocol/control-plane.md#replay).
 */
export function renewWindow({ requestId, command }: SignedCommand, signer: CommandSigner): Promise<SignedCommand> {
  return sign({ ...newRequest(command, signer), request_id: requestId }, signer);
}

function newRequest(command: LifecycleCommand, { key, clock }: CommandSigner): LifecycleRequest {
  return newLifecycleRequest(command, { did: key.did, clock });
}

async function sign(request: LifecycleRequest, { key }: CommandSigner): Promise<SignedCommand> {
  const wrapper: SignedLifecycleRequest = { request, signature: await signValue(request, key) };
  return commandOf(wrapper, JSON.stringify(wrapper));
}

/** A signed command from the text that was stored of it. */
export function storedCommand(text: string): SignedCommand {
  return commandOf(JSON.parse(text) as SignedLifecycleRequest, text);
}

function commandOf({ request }: SignedLifecycleRequest, text: string): SignedCommand {
  return { command: request.command, requestId: request.request_id, expiresAt: parseTime(request.expires_at), text };
}
