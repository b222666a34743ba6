import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { OPERATOR_SCOPES } from '@aip/runtime/internal/scopes';

/** Everything beside the operator's own scopes that a gateway checks. */
const OTHERS = ['approval:sensitive', 'audit:sensitive', 'data:sensitive:read', 'tenant:read:any'];

/** Scopes that a gateway knows; `operator` stands for all of one tenant. */
export const KNOWN_SCOPES: readonly string[] = ['operator', ...[...OPERATOR_SCOPES, ...OTHERS].sort()];

/** A sentence for each scope that no gateway checks; a capability may require one of its own, so they are no error. */
export function unknownScopes(scopes: readonly string[]): string[] {
  return scopes
    .filter(
      (scope) => scope !== '*' && ![scope, scope.replace(/:any$/, '')].some((each) => KNOWN_SCOPES.includes(each)),
    )
    .map((scope) => {
      const near = didYouMean(similar(scope, KNOWN_SCOPES, 1));
      return `The gateway itself does not know the scope ${scope}.${near ? ` ${near}` : ''}`;
    });
}
