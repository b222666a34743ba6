import { OPERATOR_SCOPES } from '@aip/controller/fleet/principals.js';

/** Everything beside the operator's own scopes that a gateway checks. */
const OTHERS = ['approval:sensitive', 'data:sensitive:read', 'tenant:read:any'];

/** Scopes that a gateway knows; `operator` stands for all of one tenant. */
export const KNOWN_SCOPES: readonly string[] = ['operator', ...[...OPERATOR_SCOPES, ...OTHERS].sort()];
