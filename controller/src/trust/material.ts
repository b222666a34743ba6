import { parseTime } from '@aip/runtime/internal/protocol';
import { signingKeyFromSeed } from '@aip/runtime/internal/signing';
import { readDids } from './bundle.js';
import type { KeyPairPem } from './certificates/ca.js';
import {
  type Certificate,
  CertificateUnreadable,
  readCertificate,
  readCertificates,
} from './certificates/certificate.js';
import { DATA, TRUST_ANNOTATIONS } from './names.js';
import { type SecretObject, secretText } from './objects.js';

/** Something that is kept in a Secret: not there, not to be understood (and so not to be touched), or read. */
export type Stored<T> =
  | { readonly state: 'absent' }
  | { readonly state: 'broken'; readonly message: string }
  | { readonly state: 'read'; readonly value: T };

/** Where a rotation stands, from the annotations of its Secret; `since` in ms since the epoch. */
export interface RotationAnnotations {
  readonly requested: string | undefined;
  readonly handled: string | undefined;
  readonly since: number | undefined;
}

/** The signing key of a service. One of `did` and `nextDid` is there. */
export interface StoredKey extends RotationAnnotations {
  readonly did: string | undefined;
  readonly nextDid: string | undefined;
  readonly previousDids: readonly string[];
}

/** The certificate authority. One of `active` and `next` is there. */
export interface StoredCa extends RotationAnnotations {
  readonly active: Certificate | undefined;
  readonly next: Certificate | undefined;
  readonly previous: readonly Certificate[];
}

/** The signing key in a Secret. */
export function readKey(secret: SecretObject | undefined): Stored<StoredKey> {
  if (secret === undefined) return { state: 'absent' };
  try {
    const did = didOf(secret, DATA.seed);
    const nextDid = didOf(secret, DATA.nextSeed);
    if (did === undefined && nextDid === undefined) return broken(`${DATA.seed} is missing`);
    const previousDids = readDids(secretText(secret, DATA.previousDids) ?? '');
    return { state: 'read', value: { did, nextDid, previousDids, ...instanceAnnotations(secret) } };
  } catch (error) {
    if (error instanceof RangeError) return broken(`${DATA.seed} or ${DATA.nextSeed} is not 64 hex digits`);
    throw error;
  }
}

/** The certificate authority in a Secret. */
export function readCa(secret: SecretObject | undefined): Stored<StoredCa> {
  if (secret === undefined) return { state: 'absent' };
  const active = pairOf(secret, DATA.caCert, DATA.caKey);
  const next = pairOf(secret, DATA.nextCaCert, DATA.nextCaKey);
  if (active.state === 'broken') return active;
  if (next.state === 'broken') return next;
  const [activeCa, nextCa] = [active, next].map((pair) => (pair.state === 'read' ? pair.value : undefined));
  if (activeCa === undefined && nextCa === undefined) return broken(`${DATA.caCert} is missing`);
  for (const ca of [activeCa, nextCa])
    if (ca && !(ca.isCa && ca.isP256)) return broken('a certificate is not a CA with an ECDSA P-256 key');
  const previous = certificatesOf(secret, DATA.previousCaCerts);
  if (previous === undefined) return broken(`${DATA.previousCaCerts} holds no certificates`);
  return { state: 'read', value: { active: activeCa, next: nextCa, previous, ...instanceAnnotations(secret) } };
}

/** The TLS leaf in a Secret. */
export function readLeaf(secret: SecretObject | undefined): Stored<Certificate> {
  return secret === undefined ? { state: 'absent' } : pairOf(secret, DATA.tlsCert, DATA.tlsKey);
}

/** The active authority of a Secret that was read, for issuing. */
export function signingPair(secret: SecretObject): KeyPairPem {
  return { certPem: secretText(secret, DATA.caCert) ?? '', keyPem: secretText(secret, DATA.caKey) ?? '' };
}

function didOf(secret: SecretObject, key: string): string | undefined {
  const seed = secretText(secret, key);
  return seed === undefined ? undefined : signingKeyFromSeed(seed).did;
}

function pairOf(secret: SecretObject, certKey: string, keyKey: string): Stored<Certificate> {
  const [cert, key] = [secretText(secret, certKey), secretText(secret, keyKey)];
  if (cert === undefined && key === undefined) return { state: 'absent' };
  if (cert === undefined || key === undefined) return broken(`${certKey} and ${keyKey} must both be present`);
  try {
    const value = readCertificate(cert);
    return value.hasKey(key) ? { state: 'read', value } : broken(`${keyKey} is not the key of ${certKey}`);
  } catch (error) {
    if (error instanceof CertificateUnreadable) return broken(`${certKey} is not a PEM certificate`);
    throw error;
  }
}

function certificatesOf(secret: SecretObject, key: string): Certificate[] | undefined {
  try {
    return readCertificates(secretText(secret, key) ?? '');
  } catch {
    return undefined;
  }
}

function instanceAnnotations({ metadata }: SecretObject): RotationAnnotations {
  const annotations = metadata.annotations ?? {};
  return {
    requested: annotations[TRUST_ANNOTATIONS.rotate],
    handled: annotations[TRUST_ANNOTATIONS.rotated],
    since: timeOf(annotations[TRUST_ANNOTATIONS.since]),
  };
}

/** A time that cannot be read counts as none: the wait begins again. */
function timeOf(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : parseTime(text);
  } catch {
    return undefined;
  }
}

function broken(message: string): { state: 'broken'; message: string } {
  return { state: 'broken', message };
}
