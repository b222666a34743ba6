import { KubeError, mayPass } from '../../kube/client/errors.js';
import type { TrustObservation } from '../decide/step.js';
import { trustNames } from '../names.js';
import type { RefusedTokens } from './reconcile.js';

/** What failed of the operators: one observation for each token, or for all of them. */
export interface OperatorFailure {
  readonly observations: readonly TrustObservation[];
  /** Whether it may end on its own at any time. */
  readonly retrySoon: boolean;
}

/** What is reported of tokens that the API server refused. */
export function refusedTokens(release: string, refused: RefusedTokens): TrustObservation[] {
  const names = trustNames(release);
  return [...refused].map(([tenant, { message }]) =>
    refusal(names.operator(tenant), `the operator of tenant ${tenant} has no token: ${message}`),
  );
}

/** What is reported of an error that ended the check of all operators. Throws errors that are not the API server's. */
export function failedOperators(release: string, error: unknown): OperatorFailure {
  if (!(error instanceof KubeError)) throw error;
  const text = `the operators cannot be brought up to date: ${error.message}`;
  return {
    observations: [refusal(trustNames(release).principals, text)],
    retrySoon: mayPass(error),
  };
}

function refusal(object: string, message: string): TrustObservation {
  return { object, type: 'Stalled', reason: 'OperatorsRefused', message };
}
