import type { Clock } from '../../protocol/clock.js';
import type { Logger } from '../../transport/process/logger.js';
import type { HostConfig } from '../config/config.js';

/** What every part of a host is given. */
export interface HostContext {
  readonly config: HostConfig;
  readonly clock: Clock;
  readonly log: Logger;
}
