import { KINDS } from '@aip/controller/internal/api';
import { KubeNotFound } from '@aip/controller/internal/kube';
import { type ConfigMapObject, type SecretObject, TRUST_ANNOTATIONS, trustNames } from '@aip/controller/internal/trust';
import { CliError } from '../client/errors.js';
import type { Cluster } from '../kube/cluster.js';
import { TRUST_SUBJECTS, type TrustState, type TrustSubject, trustState } from './trust-status.js';

type Place = Pick<Cluster, 'kube' | 'target'>;

function secretOf({ target }: Place, subject: TrustSubject): { namespace: string; name: string } {
  const names = trustNames(target.release);
  return { namespace: target.namespace, name: subject === 'ca' ? names.ca : names.key[subject] };
}

/** Asks the controller for a rotation; it does it in phases over time. Gives `namespace/name` of the Secret. Throws CliError, KubeError. */
export async function requestRotation(place: Place, subject: TrustSubject, now: number): Promise<string> {
  const ref = secretOf(place, subject);
  const annotations = { [TRUST_ANNOTATIONS.rotate]: String(Math.floor(now / 1000)) };
  const shown = `${ref.namespace}/${ref.name}`;
  await place.kube.merge(KINDS.secret, ref, { metadata: { annotations } }).catch((error: unknown) => {
    throw error instanceof KubeNotFound ? new CliError('cli.trust_missing', `There is no Secret ${shown}.`) : error;
  });
  return shown;
}

/** How the trust in gateways, control plane and authority stands. Throws KubeError. */
export async function readTrust(place: Place): Promise<TrustState[]> {
  const { kube, target } = place;
  const [bundle, ...secrets] = await Promise.all([
    kube.get<ConfigMapObject>(KINDS.configMap, { namespace: target.namespace, name: trustNames(target.release).trust }),
    ...TRUST_SUBJECTS.map((subject) => kube.get<SecretObject>(KINDS.secret, secretOf(place, subject))),
  ]);
  return TRUST_SUBJECTS.map((subject, at) => trustState(subject, secrets[at], bundle));
}
