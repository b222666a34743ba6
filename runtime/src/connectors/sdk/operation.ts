import type { Action } from '../../protocol/types.js';
import type { ConnectorCapability } from './capability.js';
import type { ConnectorOperation } from './failure.js';

/** The call that runs an action. */
export type Call = 'run' | 'plan' | 'commit' | 'compensate' | 'reconcile';

/** How an action is carried out and how that is named in errors. */
export interface Dispatch {
  call: Call;
  operation: ConnectorOperation;
}

/** Transaction mode and execution mode to the call of a capability (docs/protocol/manifest.md#connector-interface). */
export function dispatchOf<Config>(
  action: Action,
  { support }: Pick<ConnectorCapability<Config>, 'support'>,
): Dispatch {
  switch (action.transaction?.mode) {
    case 'dry_run':
    case 'plan':
      return { call: 'plan', operation: 'transaction_plan' };
    case 'commit':
      return { call: 'commit', operation: 'transaction_commit' };
    case 'compensate':
      return { call: 'compensate', operation: 'compensation' };
    case 'reconcile':
      return { call: 'reconcile', operation: 'reconciliation' };
    default:
      return { call: 'run', operation: action.mode === 'streaming' && support.streaming ? 'streaming' : 'invocation' };
  }
}
