/** What both appliers and the command line need of a fleet: principals, locks, databases of hosts. */
export { missingDatabaseRights } from '../fleet/database-rights.js';
export { hostRole } from '../fleet/host-database.js';
export {
  changePrincipals,
  newToken,
  OPERATOR_SCOPES,
  type PrincipalEntry,
  readPrincipals,
  tokenDigest,
} from '../fleet/principals.js';
export {
  disableHostLogin,
  dropRemovedDatabase,
  type HostLogin,
  hasController,
  hostLogins,
  type RemovedDatabase,
  removedDatabases,
} from '../fleet/removed-databases.js';
export { emptyDataFolder } from '../local/state/empty-data-folder.js';
export { tenantApproverFile, tenantTokenFile } from '../local/state/tenants.js';
