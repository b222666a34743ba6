import { type SigningKey, signingKeyFromSeed } from '../../protocol/signing.js';
import type { Env } from './env.js';
import { type FileSetting, fileSetting } from './live-setting.js';

const MAX_SEED_BYTES = 256;

/** The Ed25519 key of the secret file of a variable, which holds a seed of 64 hex digits; required. Throws StartupRefused. */
export function signingKeyOf(env: Env, name: string): FileSetting<SigningKey> {
  const file = env.requiredText(name);
  return fileSetting([file], () => {
    const seed = env.required(name, env.secretFile(name, MAX_SEED_BYTES));
    try {
      return signingKeyFromSeed(seed);
    } catch {
      throw env.refuse(name, 'must name a file with an Ed25519 seed of 64 hex digits');
    }
  });
}
