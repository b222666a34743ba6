import {
  CALLBACK_BATCH,
  CALLBACK_CONCURRENCY,
  CALLBACK_RESPONSE_BYTES,
  CALLBACK_TIMEOUT_MS,
} from '../../protocol/limits.js';
import { type SigningKey, signingKeyFromSeed } from '../../protocol/signing.js';
import type { Env } from '../../transport/settings/env.js';
import { type FileSetting, fixedSetting } from '../../transport/settings/live-setting.js';
import { signingKeyOf } from '../../transport/settings/seed.js';
import { trustedRootsOf } from '../../transport/settings/tls.js';

/** How callbacks are delivered. Times in milliseconds, sizes in bytes. */
export interface CallbackSettings {
  /** Signs the messages; absent: the key of the fleet does. */
  readonly key?: FileSetting<SigningKey> | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowHttp: boolean;
  readonly allowPrivateNetworks: boolean;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly maxInFlight: number;
  readonly recoveryBatch: number;
  readonly tlsCa: FileSetting<string | undefined>;
}

const SEED = 'CALLBACK_SIGNING_SEED_FILE';
const SEED_HEX = 'CALLBACK_SIGNING_SEED_HEX';

/**
 * Reads CALLBACK_*. Hosts need a key: that of CALLBACK_SIGNING_SEED_FILE or _HEX, or the fleet's where one is configured (`signs`). Throws
 * StartupRefused.
 */
export function readCallbackSettings(env: Env, signs: boolean): CallbackSettings {
  const allowedHosts = env.list('CALLBACK_ALLOWED_HOSTS');
  const key = keyOf(env);
  if (allowedHosts.length > 0 && !key && !signs) throw env.refuse('CALLBACK_ALLOWED_HOSTS', `needs ${env.name(SEED)}`);
  return {
    key,
    allowedHosts,
    allowHttp: env.bool('CALLBACK_ALLOW_HTTP'),
    allowPrivateNetworks: env.bool('CALLBACK_ALLOW_PRIVATE_NETWORKS'),
    timeoutMs: env.int('CALLBACK_TIMEOUT_MS', CALLBACK_TIMEOUT_MS, { min: 1, max: 25_000 }),
    maxResponseBytes: env.int('CALLBACK_MAX_RESPONSE_BYTES', CALLBACK_RESPONSE_BYTES, { min: 1 }),
    maxInFlight: env.int('CALLBACK_MAX_IN_FLIGHT', CALLBACK_CONCURRENCY, { min: 1, max: 10_000 }),
    recoveryBatch: env.int('CALLBACK_RECOVERY_BATCH', CALLBACK_BATCH, { min: 1, max: 10_000 }),
    tlsCa: trustedRootsOf(env, 'CALLBACK_TLS_CA_FILE'),
  };
}

function keyOf(env: Env): FileSetting<SigningKey> | undefined {
  if (env.given(SEED) && env.given(SEED_HEX)) throw env.refuse(SEED, `and ${env.name(SEED_HEX)} exclude one another`);
  if (env.given(SEED)) return signingKeyOf(env, SEED);
  const seed = env.text(SEED_HEX);
  if (seed === undefined) return undefined;
  try {
    return fixedSetting(signingKeyFromSeed(seed));
  } catch {
    throw env.refuse(SEED_HEX, 'must be an Ed25519 seed of 64 hex digits');
  }
}
