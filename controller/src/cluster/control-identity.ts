import { setTimeout as pause } from 'node:timers/promises';
import { type SigningKey, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import type { TlsFiles } from '@aip/runtime/transport/http-server.js';
import type { Logger } from '@aip/runtime/transport/logger.js';
import { KINDS } from '../kube/kinds.js';
import type { Kube } from '../kube/kube.js';
import { DATA, trustNames } from '../trust/names.js';
import { type SecretObject, secretText } from '../trust/objects.js';

/** How often the Secret is read, in ms. */
const LOOK_MS = 5_000;
const FIRST_LOOK_MS = 500;

/** Signing key and TLS leaf of the control plane. */
export interface ControlIdentity {
  key: SigningKey;
  tls: TlsFiles;
}

/**
 * Follows the Secret of the control plane until the signal aborts: `first` is the identity as soon as the leader has made it, `changed` hears
 * of every other one after that. Every replica of the controller answers with the same key.
 */
export function followControlIdentity({
  kube,
  namespace,
  release,
  changed,
  log,
  signal,
}: {
  kube: Pick<Kube, 'get'>;
  namespace: string;
  release: string;
  changed(identity: ControlIdentity): void;
  log: Logger;
  signal: AbortSignal;
}): { first: Promise<ControlIdentity>; ended: Promise<void> } {
  const ref = { namespace, name: trustNames(release).key['control-plane'] };
  let known: string | undefined;
  let found: (identity: ControlIdentity) => void = () => undefined;
  const first = new Promise<ControlIdentity>((done) => {
    found = done;
  });
  const look = async (): Promise<void> => {
    const secret = await kube.get<SecretObject>(KINDS.secret, ref);
    const identity = secret && identityOf(secret);
    if (!identity || secret.metadata.resourceVersion === known) return;
    const isFirst = known === undefined;
    known = secret.metadata.resourceVersion;
    if (isFirst) found(identity);
    else changed(identity);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().catch((error: unknown) =>
        log.warn({ err: error }, 'the identity of the control plane cannot be read'),
      );
      const waitMs = known === undefined ? FIRST_LOOK_MS : LOOK_MS;
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  };
  return { first, ended: run() };
}

/** Undefined while a part of it is missing. */
function identityOf(secret: SecretObject): ControlIdentity | undefined {
  const seed = secretText(secret, DATA.seed);
  const cert = secretText(secret, DATA.tlsCert);
  const key = secretText(secret, DATA.tlsKey);
  if (seed === undefined || cert === undefined || key === undefined) return undefined;
  return { key: signingKeyFromSeed(seed), tls: { cert: `${cert}\n`, key: `${key}\n` } };
}
