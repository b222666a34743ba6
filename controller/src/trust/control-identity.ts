import type { TlsFiles } from '@aip/runtime/internal/http';
import { NamedError } from '@aip/runtime/internal/protocol';
import { type SigningKey, signingKeyFromSeed } from '@aip/runtime/internal/signing';
import { openDeadline, pollLoop, pollUntil } from '@aip/runtime/internal/time';
import { KINDS } from '../api/kinds.js';
import type { Kube } from '../kube/kube.js';
import { readKey, readLeaf, type Stored } from './material.js';
import { DATA, trustNames } from './names.js';
import { type SecretObject, secretText } from './objects.js';
import type { TrustSettings } from './settings.js';

/** How often the Secret is read, in ms. */
const POLL_MS = 15_000;
/** How often it is read before it was there once: the leader may just be making it. */
const FIRST_POLL_MS = 1000;

/** What a control plane signs and serves with. */
export interface ControlIdentity {
  readonly key: SigningKey;
  readonly tls: TlsFiles;
}

/** The identity of this process's control plane, as its Secret has it. */
export interface ControlIdentitySource {
  /** The last one that was sound. Take it once for an answer: its DID and its signature belong together. */
  current(): ControlIdentity;
  /** Calls back after each change, until the returned function is called. */
  onChange(listener: (identity: ControlIdentity) => void): () => void;
  /** Ends the reading. */
  stop(): Promise<void>;
}

/** What is passed in; the times can be held by tests. */
export interface ControlIdentityDeps {
  readonly kube: Kube;
  /** Called with the failure of every read; the last sound identity stays. */
  onFailure(error: Error): void;
  /** Ends the first wait; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Waits `ms`, or less when the signal aborts. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** The Secret has no identity that can be used. */
function controlIdentityUnusable(secret: string, why: string): NamedError {
  return new NamedError(`the Secret ${secret} cannot be used: ${why}`, { name: 'ControlIdentityUnusable' });
}

/** Reads the control plane's Secret until it holds a seed and a leaf, then continues reading it for changes. */
export async function openControlIdentity(
  deps: ControlIdentityDeps,
  settings: Pick<TrustSettings, 'namespace' | 'release'>,
): Promise<ControlIdentitySource> {
  const { kube, onFailure, pause } = deps;
  const ending = openDeadline(deps.signal);
  const { signal } = ending;
  const listeners = new Set<(identity: ControlIdentity) => void>();

  const rule = { signal, failed: (error: unknown) => onFailure(error as Error), ...(pause && { pause }) };
  const found = await pollUntil(() => readIdentity(kube, settings), { ...rule, everyMs: () => FIRST_POLL_MS });
  if (found === undefined) throw signal.reason;
  let current = found;

  const reading = pollLoop(read, { ...rule, everyMs: () => POLL_MS, pauseFirst: true });
  return {
    current: () => current,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async () => {
      ending.abort();
      await reading;
      ending.clear();
    },
  };

  async function read(): Promise<void> {
    const read = await readIdentity(kube, settings);
    if (isSame(read, current)) return;
    current = read;
    for (const listener of listeners) listener(read);
  }
}

async function readIdentity(
  kube: Kube,
  { namespace, release }: Pick<TrustSettings, 'namespace' | 'release'>,
): Promise<ControlIdentity> {
  const name = trustNames(release).key['control-plane'];
  const secret = await kube.get<SecretObject>(KINDS.secret, { namespace, name });
  usable(name, readKey(secret));
  usable(name, readLeaf(secret));
  return {
    key: signingKeyFromSeed(text(name, secret, DATA.seed)),
    tls: { cert: text(name, secret, DATA.tlsCert), key: text(name, secret, DATA.tlsKey) },
  };
}

function usable(name: string, stored: Stored<unknown>): void {
  if (stored.state === 'absent') throw controlIdentityUnusable(name, 'it is not complete yet');
  if (stored.state === 'broken') throw controlIdentityUnusable(name, stored.message);
}

function text(name: string, secret: SecretObject | undefined, key: string): string {
  const found = secret && secretText(secret, key);
  if (found === undefined) throw controlIdentityUnusable(name, `${key} is missing`);
  return found;
}

function isSame(left: ControlIdentity, right: ControlIdentity): boolean {
  return left.key.did === right.key.did && left.tls.cert === right.tls.cert && left.tls.key === right.tls.key;
}
