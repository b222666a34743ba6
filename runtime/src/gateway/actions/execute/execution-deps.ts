import type { Logger } from 'pino';
import type { Pool } from '../../../postgres/pool.js';
import type { Clock } from '../../../protocol/clock.js';
import type { Principal } from '../../../protocol/types.js';
import type { SchemaChecks } from '../../../registry/contracts/schema-checks.js';
import type { Permits } from '../../claims/permits.js';
import type { Dispatcher } from '../../dispatch/dispatcher.js';
import type { CapabilityLookup } from '../capabilities/capabilities.js';
import type { LocalCapabilities } from '../capabilities/local-capabilities.js';
import type { ReleaseRoutes, StoredRoutes } from '../finish/release.js';
import type { Settlement } from '../finish/write.js';
import type { LeaseKeeper } from './lease-keeper.js';

/** What executions need. */
export interface ExecutionDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateway: Principal;
  readonly keeper: LeaseKeeper;
  readonly local: LocalCapabilities;
  readonly capabilities: CapabilityLookup;
  readonly schemas: SchemaChecks;
  readonly dispatcher: Dispatcher | undefined;
  /** Releases assignments with the next attempts of their actions; absent without a fleet. */
  readonly releaseRoutes: ReleaseRoutes | undefined;
  /** Present where routes are stored in the database of the actions. */
  readonly storedRoutes: Pick<StoredRoutes, 'committed'> | undefined;
  /** Writes the end of an action and releases its route; false: the fence was lost and nothing was written. */
  readonly settle: (settlement: Settlement) => Promise<boolean>;
  /** Places for questions to providers about unknown outcomes. */
  readonly reconciliations: Permits;
}
