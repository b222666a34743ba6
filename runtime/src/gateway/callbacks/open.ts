import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { Principal } from '../../protocol/types.js';
import type { SignerSource } from '../../transport/http/error-response.js';
import { destinationPolicy } from '../../transport/peer/destination.js';
import type { Logger } from '../../transport/process/logger.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import { type AdmitCallback, callbackAdmission } from './admit.js';
import { openCallbackSender } from './attempt.js';
import { type Deliverer, startDeliverer } from './deliverer.js';
import type { CallbackSettings } from './settings.js';

/** The callbacks of one gateway. */
export interface Callbacks {
  readonly admit: AdmitCallback;
  /** Absent where nothing signs: then no target is allowed either. */
  readonly deliverer: Deliverer | undefined;
  stop(): Promise<void>;
}

/** Opens the callbacks: the check of targets, and the deliverer where a key signs its messages. */
export function openCallbacks(options: {
  readonly settings: CallbackSettings;
  readonly pool: Pool;
  readonly principal: Principal;
  /** The fleet's, for a gateway without a key of its own for callbacks. */
  readonly signer: SignerSource | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}): Callbacks {
  const { settings, pool, principal, clock, log } = options;
  const policy = destinationPolicy({
    hosts: settings.allowedHosts,
    allowHttp: settings.allowHttp,
    allowPrivate: settings.allowPrivateNetworks,
  });
  const admit = callbackAdmission(policy);
  const key = settings.key && followSetting(settings.key, { what: 'callback signing key', log });
  const tlsCa = followSetting(settings.tlsCa, { what: 'trusted certificates of callbacks', log });
  const signer = key ? () => ({ principal, key: key.current() }) : options.signer;
  const { timeoutMs, maxResponseBytes, maxInFlight, recoveryBatch: batch } = settings;
  const sender =
    signer && openCallbackSender({ policy, signer, timeoutMs, maxResponseBytes, tlsCa: tlsCa.current, clock });
  const deliverer = sender && startDeliverer({ pool, clock, log, gateway: principal, sender, maxInFlight, batch });
  return {
    admit,
    deliverer,
    stop: async () => {
      await deliverer?.stop();
      key?.close();
      tlsCa.close();
    },
  };
}
