/** Scopes of tokens for sibling packages. Loads nothing else. */
export { OPERATOR_SCOPES } from '../client/scopes.js';
