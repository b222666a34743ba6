/** A gateway and its errors for sibling packages: what every command loads. */
export {
  ClientError,
  GatewayRefused,
  GatewayUnreachable,
  IdInvalid,
  isCertificateProblem,
  isNotFound,
  OutcomeUncertain,
  reasonOf,
} from '../client/errors.js';
export { type Gateway, openGateway } from '../client/gateway.js';
export { fileProblem } from '../protocol/errors/file-problem.js';
