import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '@aip/runtime/internal/signing';
import { writePrivate } from '../../fleet/files.js';

/** A signing key on disk. */
export interface KeyFile {
  path: string;
  did: string;
}

/** The key in `file` (64 hex digits); made with mode 0600 when it is not there. */
export async function ensureKey(file: string): Promise<KeyFile> {
  let seed = await readFile(file, 'utf8').catch(() => undefined);
  if (seed === undefined) {
    seed = newSeedHex();
    await writePrivate(file, `${seed}\n`);
  }
  const key: SigningKey = signingKeyFromSeed(seed.trim());
  return { path: file, did: key.did };
}

/** File of a replica's key under the keys folder. */
export function replicaKeyFile(keys: string, namespace: string, replica: string): string {
  return join(keys, 'replicas', `${namespace}.${replica}.seed`);
}
