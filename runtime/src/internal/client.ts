/** Reads of a gateway for sibling packages; what signs and submits is in @aip/runtime/client, which takes longer to load. */
export {
  type ActionFilter,
  type CapabilityPage,
  cancelAction,
  getAction,
  getReceipts,
  getResult,
  listActions,
  listCapabilities,
  TERMINAL_STATES,
} from '../client/actions.js';
export { confirmTerminal } from '../client/confirm.js';
export { followedMode } from '../client/contract.js';
export { type FollowOptions, followAction } from '../client/follow.js';
export { followEvents } from '../client/follow-events.js';
export { checkId } from '../client/ids.js';
export { leavesOutcomeOpen } from '../protocol/content/open-outcome.js';
