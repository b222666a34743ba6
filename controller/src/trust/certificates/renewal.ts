import { formatTime } from '@aip/runtime/internal/protocol';
import { sha256Hex } from '@aip/runtime/internal/signing';
import type { Certificate } from './certificate.js';

/** The share of its life after which a leaf is renewed, and by how much of that the moment moves from name to name. */
const RENEW_AT = 2 / 3;
const JITTER = 0.1;

/** What a leaf has to be. */
export interface LeafWanted {
  /** Whose leaf it is: decides the jitter. */
  readonly name: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses?: readonly string[] | undefined;
  /** The authority that leaves have to come from. */
  readonly activeCa: Certificate;
}

/** Whether to issue, why, and when a leaf that stays is due (ms since the epoch). */
export interface RenewalDecision {
  readonly renew: boolean;
  readonly reason: 'Missing' | 'NamesChanged' | 'IssuerNotActive' | 'RenewalDue' | 'Current';
  readonly message: string;
  readonly dueAt?: number;
}

/** Decides whether a leaf has to be issued: there is none, its names are others, the active authority did not sign it, or it is old. */
export function decideRenewal(leaf: Certificate | undefined, wanted: LeafWanted, now: number): RenewalDecision {
  if (leaf === undefined) return issue('Missing', 'no certificate yet');
  if (!sameNames(leaf.dnsNames, wanted.dnsNames) || !sameAddresses(leaf.ipAddresses, wanted.ipAddresses ?? []))
    return issue('NamesChanged', `the certificate is for ${[...leaf.dnsNames, ...leaf.ipAddresses].join(', ')}`);
  if (!leaf.issuedBy(wanted.activeCa))
    return issue('IssuerNotActive', 'the certificate is not of the active authority');
  const dueAt = renewalTime(leaf, wanted.name);
  if (now >= dueAt) return issue('RenewalDue', `the certificate ends ${formatTime(leaf.notAfter)}`);
  return { renew: false, reason: 'Current', message: `renewed from ${formatTime(dueAt)} on`, dueAt };
}

/** When a leaf is renewed: two thirds of its life, moved by up to a tenth either way; the same for the same name at all times. */
export function renewalTime(leaf: Pick<Certificate, 'notBefore' | 'notAfter'>, name: string): number {
  const share = Number.parseInt(sha256Hex(name).slice(0, 8), 16) / 0xffffffff;
  const moved = 1 + JITTER * (2 * share - 1);
  return Math.round(leaf.notBefore + (leaf.notAfter - leaf.notBefore) * RENEW_AT * moved);
}

function issue(reason: RenewalDecision['reason'], message: string): RenewalDecision {
  return { renew: true, reason, message };
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  const wanted = new Set(right.map((name) => name.toLowerCase()));
  const found = new Set(left.map((name) => name.toLowerCase()));
  return wanted.size === found.size && [...wanted].every((name) => found.has(name));
}

function sameAddresses(left: readonly string[], right: readonly string[]): boolean {
  return sameNames(left.map(plainAddress), right.map(plainAddress));
}

/** One text for an address: certificates print IPv6 in full and in capitals. */
function plainAddress(text: string): string {
  return text.includes(':') ? new URL(`http://[${text}]`).hostname : text;
}
