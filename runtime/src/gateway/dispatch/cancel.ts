import { newEnvelope } from '../../protocol/envelope.js';
import { AipError } from '../../protocol/errors.js';
import { newId } from '../../protocol/ids.js';
import type { ActionResult } from '../../protocol/types.js';
import type { RoutedAction } from '../../registry/routes/assignment.js';
import { peerOf } from './ask.js';
import type { DispatcherDeps } from './dispatcher-deps.js';
import { cancelRoute } from './project.js';
import type { Releases } from './releases.js';

/** Cancels an action at its host and releases its assignment, as Dispatcher.cancel. */
export async function cancelAtHost(
  { registry, peer, clock }: Pick<DispatcherDeps, 'registry' | 'peer' | 'clock'>,
  releases: Releases,
  action: RoutedAction,
  reason: string,
): Promise<void> {
  const { actionId } = action;
  const assignment = await registry.routes.find(action);
  if (!assignment) throw new AipError('resource.not_found', 'no connector host was assigned to the action');
  const envelope = newEnvelope(
    { cancel: { target: { action: actionId }, reason } },
    { correlation_id: newId('correlation'), security: { connector_route: cancelRoute(assignment) } },
    { clock },
  );
  const answer = await peer.send(envelope, peerOf(assignment));
  const { action_result: result } = answer.body as { action_result?: ActionResult };
  if (result?.action_id !== actionId)
    throw new AipError('runtime.handler_failed', 'the host answered the cancellation with something else', {
      retryable: false,
    });
  await releases.write({ actionId, fenceToken: assignment.fenceToken, settlement: 'cancelled' });
}
