import { newSeedHex, signingKeyFromSeed } from '@aip/runtime/internal/signing';
import { issueLeaf } from '../certificates/ca.js';
import { decideRenewal, type RenewalDecision } from '../certificates/renewal.js';
import { readKey, readLeaf } from '../material.js';
import { DATA } from '../names.js';
import { type SecretObject, secretText } from '../objects.js';
import type { ActiveAuthority } from './active-authority.js';

/** Where a replica listens. */
export interface ReplicaPlace {
  readonly replica: string;
  /** Name of the instance, which is the name of its headless Service. */
  readonly instance: string;
  readonly namespace: string;
  /** For example `cluster.local`. */
  readonly clusterDomain: string;
}

/** Contents of a replica's identity Secret, as `stringData` takes them. */
export type ReplicaIdentityData = Readonly<Record<'seed' | 'did' | 'tls.crt' | 'tls.key', string>>;

/** An identity that has to be written; `issuer` is the id of the authority for the annotation `fleet.aip.dev/issuer`. */
export interface NewReplicaIdentity {
  readonly did: string;
  readonly issuer: string;
  readonly data: ReplicaIdentityData;
}

/**
 * How a replica's identity stands. `renewed`: `data` has to be written; `dueAt` (ms since the epoch) when to look again. `broken`: the seed cannot
 * be used and nothing may be written.
 */
export type ReplicaIdentity =
  | { state: 'current'; did: string; issuer: string; dueAt: number }
  | ({ state: 'renewed' } & NewReplicaIdentity & Pick<RenewalDecision, 'reason' | 'message'>)
  | { state: 'broken'; message: string };

/** The names that a replica's leaf is for: its own, and that of the Service for webhook deliveries. */
export function replicaDnsNames({ replica, instance, namespace, clusterDomain }: ReplicaPlace): string[] {
  const service = `${replica}.${instance}.${namespace}.svc`;
  return [service, `${service}.${clusterDomain}`, `${instance}-webhooks.${namespace}.svc`];
}

/** A new identity: a seed of its own, and a leaf of the active authority. */
export async function newReplicaIdentity(
  place: ReplicaPlace,
  authority: ActiveAuthority,
  now: number,
): Promise<NewReplicaIdentity> {
  const seed = newSeedHex();
  return withLeaf({ seed, did: signingKeyFromSeed(seed).did }, place, authority, now);
}

/**
 * The identity of a replica as its Secret has it. A leaf that is missing, unreadable or due is issued by the active authority; the seed, and
 * with it the DID that the registry knows, always stays.
 */
export async function replicaIdentity(
  secret: SecretObject,
  place: ReplicaPlace,
  authority: ActiveAuthority,
  now: number,
): Promise<ReplicaIdentity> {
  const key = keptKey(secret);
  if ('broken' in key) return { state: 'broken', message: key.broken };
  const stored = readLeaf(secret);
  const leaf = stored.state === 'read' ? stored.value : undefined;
  const wanted = { name: `${place.namespace}/${place.replica}`, dnsNames: replicaDnsNames(place) };
  const activeCa = authority.certificate;
  const { renew, reason, message, dueAt = now } = decideRenewal(leaf, { ...wanted, activeCa }, now);
  if (!renew) return { state: 'current', did: key.did, issuer: activeCa.id, dueAt };
  return { state: 'renewed', ...(await withLeaf(key, place, authority, now)), reason, message };
}

async function withLeaf(
  { seed, did }: { seed: string; did: string },
  place: ReplicaPlace,
  { pair, certificate }: ActiveAuthority,
  now: number,
): Promise<NewReplicaIdentity> {
  const { certPem, keyPem } = await issueLeaf(pair, { dnsNames: replicaDnsNames(place), now });
  return { did, issuer: certificate.id, data: { seed, did, 'tls.crt': certPem, 'tls.key': keyPem } };
}

function keptKey(secret: SecretObject): { seed: string; did: string } | { broken: string } {
  const [seed, told] = [secretText(secret, DATA.seed), secretText(secret, DATA.did)];
  const key = readKey(secret);
  if (key.state === 'broken') return { broken: key.message };
  const did = key.state === 'read' ? key.value.did : undefined;
  if (seed === undefined || did === undefined) return { broken: `${DATA.seed} is missing` };
  return told === undefined || told === did ? { seed, did } : { broken: `${DATA.did} is not that of ${DATA.seed}` };
}
