import { confirmTerminal, type FollowOptions, followAction, getAction } from '@aip/runtime/internal/client';
import type { Gateway } from '@aip/runtime/internal/gateway';
import type { ActionStatus, Event, StreamChunk } from '@aip/runtime/internal/protocol';

const RESULT = 'aip.action.result';

/** What a follow shows while it runs; one implementation for terminals, one for pipes, one for JSON. */
export interface FollowView {
  event(event: Event): void;
  chunk(chunk: StreamChunk): void;
  reconnecting(afterMs: number, reason: string): void;
  /** The durable state at the end; absent when the follow was interrupted. */
  end(status: ActionStatus | undefined): void | Promise<void>;
  /** Says, after `end`, that the action continues and which command comes back to it. */
  interrupted(): void;
}

/**
 * Follows an action to its end and confirms it by reading the action. With `stopAtApproval` an action that waits for a person ends the
 * follow too. Gives undefined when `signal` ended it: the action continues. The result is shown after the chunks: a page of the gateway has its
 * events first, though the chunks came before.
 */
export async function followToEnd(
  gateway: Gateway,
  actionId: string,
  view: FollowView,
  options: FollowOptions & { stopAtApproval?: boolean; onProgress?: () => void } = {},
): Promise<ActionStatus | undefined> {
  let status: ActionStatus | undefined;
  let result: Event | undefined;
  const showResult = (): void => {
    if (result) view.event(result);
    result = undefined;
  };
  try {
    for await (const item of followAction(gateway, actionId, options)) {
      if (item.kind !== 'reconnecting') options.onProgress?.();
      if (item.kind === 'chunk') view.chunk(item.chunk);
      else if (item.kind === 'reconnecting') view.reconnecting(item.afterMs, item.reason);
      else if (item.kind === 'event' && item.event.kind === RESULT) {
        showResult();
        result = item.event;
      } else if (item.kind === 'event') {
        view.event(item.event);
        if (options.stopAtApproval && item.event.kind === 'aip.approval.requested') {
          const now = await getAction(gateway, actionId, { result: true });
          if (now.state === 'pending_approval') {
            status = now;
            break;
          }
        }
      } else {
        showResult();
        status = await confirmTerminal(gateway, actionId);
      }
    }
  } finally {
    showResult();
    await view.end(status);
  }
  return status;
}
