import { formatTime } from '@aip/runtime/internal/protocol';
import type { Certificate } from '../certificates/certificate.js';
import type { StoredCa } from '../material.js';
import { KEY_ROLES } from '../names.js';
import type { TrustInputs } from './inputs.js';
import { decideRotation } from './rotation.js';
import type { TrustDecision } from './step.js';

/** The share of its life after which an authority is followed by a new one. */
const ROTATE_AT = 0.8;

/** The certificate authority: made when there is none, rotated when asked or at four fifths of its life, followed with an overlap when lost. */
export function decideAuthority(inputs: TrustInputs): TrustDecision {
  const object = inputs.names.ca;
  if (inputs.ca.state === 'absent') {
    const previous = inputs.published[0].bundle.authorities.filter((known) => !isForeign(known, inputs));
    const lost = previous.length > 0;
    const reason = lost ? 'AuthorityLost' : 'AuthorityMissing';
    const message = lost
      ? 'the Secret is missing: a new authority replaces it unless a backup is restored first'
      : 'the authority is made';
    return {
      steps: [{ do: 'create-ca', slot: lost ? 'next' : 'active', previous, object, reason, message }],
      observations: [{ object, type: 'Rotating', reason, message }],
    };
  }
  if (inputs.ca.state === 'broken') {
    const message = `${inputs.ca.message}: put the Secret back from a backup, or delete it to have a new authority made; no certificate is issued until then`;
    return { steps: [], observations: [{ object, type: 'Stalled', reason: 'AuthorityInvalid', message }] };
  }
  const { active, next, previous, ...annotations } = inputs.ca.value;
  const decision = decideRotation(
    {
      subject: 'ca',
      object,
      annotations,
      next: next?.id,
      published: inputs.published.every(({ bundle }) => bundle.authorities.some(({ id }) => id === next?.id)),
      previous: previous.map(({ id }) => id),
      inUse: usesOf(previous, inputs),
      due: active === undefined ? undefined : expiry(active, inputs.now),
    },
    inputs.now,
    inputs.overlapMs,
  );
  if (active === undefined || decision.wakeAt !== undefined) return decision;
  return { ...decision, wakeAt: rotationTime(active) };
}

/** The authorities that everybody has to trust, each once: the active one first. */
export function authoritiesOf(ca: StoredCa, foreign: readonly Certificate[]): Certificate[] {
  const all = [ca.active, ca.next, ...ca.previous, ...foreign].filter((found) => found !== undefined);
  return [...new Map(all.map((authority) => [authority.pem, authority])).values()];
}

function isForeign(known: Certificate, { foreignAuthorities }: TrustInputs): boolean {
  return foreignAuthorities.some(({ pem }) => pem === known.pem);
}

/** Who still has a leaf of an authority that is no longer active. An expired authority is of no use to anybody. */
function usesOf(previous: readonly Certificate[], inputs: TrustInputs): string | undefined {
  const alive = previous.filter(({ notAfter }) => notAfter > inputs.now);
  const services = KEY_ROLES.filter((role) => {
    const leaf = inputs.leaves[role];
    return leaf.state === 'read' && alive.some((authority) => leaf.value.issuedBy(authority));
  });
  const replicas = alive.some(({ id }) => inputs.replicaIssuers.includes(id)) ? ['replicas'] : [];
  const users = [...services, ...replicas];
  return users.length === 0
    ? undefined
    : `Waiting until no certificate of the old authority is in use: ${users.join(', ')}`;
}

function expiry(active: Certificate, now: number): string | undefined {
  return now >= rotationTime(active) ? `the authority ends ${formatTime(active.notAfter)}` : undefined;
}

function rotationTime({ notBefore, notAfter }: Certificate): number {
  return notBefore + (notAfter - notBefore) * ROTATE_AT;
}
