/** The client of a gateway for programs (docs/client.md). */
export { newSeedHex, type SigningKey, signingKeyFromSeed } from '../protocol/signing.js';
export type * from '../protocol/types.js';
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
} from './actions.js';
export { confirmTerminal } from './confirm.js';
export { contractPermitsRetry, errorPermitsRetry, pauseMs } from './decide.js';
export {
  AnswerInvalid,
  ClientError,
  GatewayRefused,
  GatewayUnreachable,
  IdInvalid,
  isNotFound,
  OutcomeUncertain,
} from './errors.js';
export { type Followed, type FollowOptions, followAction } from './follow.js';
export { type FollowedEvent, followEvents } from './follow-events.js';
export { type Gateway, type GatewayAddress, type GatewayRequest, openGateway } from './gateway.js';
export { checkId, type IdKind } from './ids.js';
export { type MessageOptions, type Signer, sendMessage } from './message.js';
export { isLost, type Submission, type SubmitOptions, type Submitted, submitAction } from './submit.js';
