import type { Clock } from '../../protocol/clock.js';
import type { Registry } from '../../registry/registry.js';
import type { TopologyPreference } from '../../registry/routes/assignment.js';
import type { SignerSource } from '../../transport/http/error-response.js';
import type { PeerClient } from '../../transport/peer/client.js';
import type { Logger } from '../../transport/process/logger.js';
import type { AskRule, ResultDocuments } from './ask.js';
import type { SchedulerLimits } from './scheduler-limits.js';

/** What the dispatcher is made of. */
export interface DispatcherDeps {
  readonly registry: Pick<Registry, 'routes' | 'replicas'>;
  readonly peer: Pick<PeerClient, 'send'>;
  /** Bounds of the scheduler; absent ones take their defaults. */
  readonly scheduler?: Partial<SchedulerLimits> | undefined;
  /** The gateway as hosts know it, with its trust domain, and its present key. */
  readonly signer: SignerSource;
  /** The fixed address of the connector ingress for chunks; absent: no remote streaming. */
  readonly callbackUrl?: string | undefined;
  /** Where new work should rather go; pinned work stays. */
  readonly topology?: TopologyPreference | undefined;
  readonly asking?: Partial<AskRule> | undefined;
  /** Where documents of results are kept; absent: results have none. */
  readonly documents?: ResultDocuments | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}
