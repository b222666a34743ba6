import type { Migration } from '../../postgres/migrate.js';
import { registryTables } from './0001-registry.js';
import { unreachedSettlement } from './0002-unreached.js';
import { retiringReplicas } from './0003-retiring.js';
import { canaries } from './0004-canaries.js';
import { allotments } from './0005-allotments.js';
import { assignmentsOfTenants } from './0006-action-ids.js';
import { scaling } from './0007-scaling.js';
import { routeTokens } from './0008-route-tokens.js';
import { keptRoutes } from './0009-kept-routes.js';
import { holderConnections } from './0010-holder-connections.js';
import { keptPages } from './0011-kept-pages.js';

/** The steps of schema `registry`, in order. Released steps never change. */
export const REGISTRY_MIGRATIONS: readonly Migration[] = [
  registryTables,
  unreachedSettlement,
  retiringReplicas,
  canaries,
  allotments,
  assignmentsOfTenants,
  scaling,
  routeTokens,
  keptRoutes,
  holderConnections,
  keptPages,
];

/** The step this program works with; a process that finds another one refuses to be ready. */
export const REGISTRY_SCHEMA_VERSION = 11;
