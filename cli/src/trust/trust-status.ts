import { X509Certificate } from 'node:crypto';
import {
  type ConfigMapObject,
  DATA,
  type SecretObject,
  secretText,
  TRUST_ANNOTATIONS,
} from '@aip/controller/internal/trust';

/** What can be rotated. */
export const TRUST_SUBJECTS = ['gateway', 'control-plane', 'ca'] as const;
export type TrustSubject = (typeof TRUST_SUBJECTS)[number];

/**
 * Where a rotation is. `requested`: the controller has not begun. `announced`: the next one is published, the old one still signs.
 * `overlapping`: the next one signs, the old one is still trusted. `active`: none is under way. `missing`: there is no such Secret.
 */
export type TrustPhase = 'active' | 'requested' | 'announced' | 'overlapping' | 'missing';

/** One thing that is trusted: a did:key, or a certificate authority by its key's fingerprint. */
export interface Trusted {
  id: string;
  /** RFC 3339; certificates only. */
  not_after?: string;
}

/** How the trust in one part of the fleet stands. */
export interface TrustState {
  subject: TrustSubject;
  phase: TrustPhase;
  /** A further rotation was requested while one is under way. */
  queued: boolean;
  since: string | null;
  /** As published to the whole fleet, the active one first. */
  trusted: Trusted[];
}

/** Keys of a Secret's data that show the phase; the values are never checked. */
const NEXT: Readonly<Record<TrustSubject, string>> = {
  gateway: DATA.nextSeed,
  'control-plane': DATA.nextSeed,
  ca: DATA.nextCaCert,
};
const PREVIOUS: Readonly<Record<TrustSubject, string>> = {
  gateway: DATA.previousDids,
  'control-plane': DATA.previousDids,
  ca: DATA.previousCaCerts,
};

/** The state of one part, from its Secret and the published bundle. */
export function trustState(
  subject: TrustSubject,
  secret: SecretObject | undefined,
  bundle: ConfigMapObject | undefined,
): TrustState {
  const marks = secret?.metadata.annotations ?? {};
  const requested = marks[TRUST_ANNOTATIONS.rotate];
  const asked = requested !== undefined && requested !== marks[TRUST_ANNOTATIONS.rotated];
  const phase = phaseOf(subject, secret, asked);
  return {
    subject,
    phase,
    queued: asked && (phase === 'announced' || phase === 'overlapping'),
    since: marks[TRUST_ANNOTATIONS.since] ?? null,
    trusted:
      subject === 'ca'
        ? authorities(bundle?.data?.[DATA.caCert])
        : dids(bundle?.data?.[subject === 'gateway' ? DATA.gatewayDids : DATA.controlPlaneDids]),
  };
}

function phaseOf(subject: TrustSubject, secret: SecretObject | undefined, asked: boolean): TrustPhase {
  if (!secret) return 'missing';
  if (secretText(secret, NEXT[subject])) return 'announced';
  if (secretText(secret, PREVIOUS[subject])) return 'overlapping';
  return asked ? 'requested' : 'active';
}

function dids(text = ''): Trusted[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((id) => ({ id }));
}

function authorities(text = ''): Trusted[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return found.map((pem) => {
    const certificate = new X509Certificate(pem);
    return {
      id: certificate.fingerprint256.replaceAll(':', '').toLowerCase().slice(0, 16),
      not_after: certificate.validToDate.toISOString(),
    };
  });
}
