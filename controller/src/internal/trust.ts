/** Names and objects of a fleet's trust in a cluster for sibling packages. */
export { DATA, TRUST_ANNOTATIONS, trustNames } from '../trust/names.js';
export { type ConfigMapObject, MANAGER, type SecretObject, secretText } from '../trust/objects.js';
