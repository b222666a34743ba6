import { formatTime, NamedError } from '@aip/runtime/internal/protocol';
import { newSeedHex } from '@aip/runtime/internal/signing';
import { ANNOTATIONS, LABELS } from '../api/group.js';
import { KINDS } from '../api/kinds.js';
import type { Kube, ObjectMeta } from '../kube/kube.js';
import { bundleData, lines } from './bundle.js';
import { createCa, issueLeaf, type KeyPairPem } from './certificates/ca.js';
import type { TrustStep } from './decide/step.js';
import type { GatheredTrust } from './gather.js';
import { signingPair } from './material.js';
import { DATA, releaseId, TRUST_ANNOTATIONS } from './names.js';
import { type ConfigMapObject, changedSecret, MANAGER, newSecret, type SecretObject, secretText } from './objects.js';
import { promoted } from './promote.js';
import { isReleaseGone } from './release-gone.js';
import type { TrustSettings } from './settings.js';

type Texts = Readonly<Record<string, string | undefined>>;

/**
 * Carries out one step. New objects are created, existing ones replaced at the version that was read, so that whoever was faster is never
 * overwritten: KubeConflict then, and all has to be gathered again. Throws what the API server refuses.
 */
export async function applyTrustStep(
  step: TrustStep,
  gathered: GatheredTrust,
  { kube, settings }: { kube: Kube; settings: TrustSettings },
): Promise<void> {
  const { namespace } = settings;
  const { names, now } = gathered.inputs;
  const create = async (name: string, texts: Texts): Promise<void> => {
    gathered.secrets.set(name, await kube.create(KINDS.secret, newSecret({ name, namespace }, texts)));
  };
  const change = async (name: string, texts: Texts, annotations: Texts = {}): Promise<void> => {
    const changed = changedSecret(secretOf(gathered, name), texts, annotations);
    gathered.secrets.set(name, await kube.replace(KINDS.secret, changed));
  };
  const mark = (since: string | undefined): Texts => ({ [TRUST_ANNOTATIONS.since]: since });
  const authority = () => createCa({ now, permittedDomains: settings.permittedDomains });

  switch (step.do) {
    case 'create-ca': {
      const { certPem, keyPem } = await authority();
      const [cert, key] = step.slot === 'active' ? [DATA.caCert, DATA.caKey] : [DATA.nextCaCert, DATA.nextCaKey];
      const previous = step.previous.map(({ pem }) => pem).join('');
      return create(step.object, { [cert]: certPem, [key]: keyPem, [DATA.previousCaCerts]: previous || undefined });
    }
    case 'create-key':
      return create(step.object, {
        [step.slot === 'active' ? DATA.seed : DATA.nextSeed]: newSeedHex(),
        [DATA.previousDids]: lines(step.previousDids) || undefined,
      });
    case 'add-next': {
      const texts = step.subject === 'ca' ? nextPair(await authority()) : { [DATA.nextSeed]: newSeedHex() };
      return change(step.object, texts, { [TRUST_ANNOTATIONS.rotated]: step.handled, ...mark(undefined) });
    }
    case 'stamp':
      return change(step.object, {}, mark(formatTime(step.at)));
    case 'unstamp':
      return change(step.object, {}, mark(undefined));
    case 'promote':
      return change(step.object, promoted(step.subject, secretOf(gathered, step.object)), mark(undefined));
    case 'drop': {
      const key = step.subject === 'ca' ? DATA.previousCaCerts : DATA.previousDids;
      return change(step.object, { [key]: undefined }, mark(undefined));
    }
    case 'issue-leaf': {
      const { dnsNames, ipAddresses } = step;
      const leaf = await issueLeaf(signingPair(secretOf(gathered, names.ca)), { dnsNames, ipAddresses, now });
      return change(step.object, { [DATA.tlsCert]: leaf.certPem, [DATA.tlsKey]: leaf.keyPem });
    }
    case 'adopt-leaf': {
      const offered = secretOf(gathered, names.certificateSecret(step.role));
      const texts = [DATA.tlsCert, DATA.tlsKey].map((key) => [key, `${secretText(offered, key)}\n`]);
      return change(step.object, Object.fromEntries(texts));
    }
    case 'publish': {
      const unread = gathered.unread.get(step.namespace);
      if (unread) throw unread;
      return publish(kube, step, gathered.configMaps.get(step.namespace), releaseId(settings));
    }
  }
}

/** The copy of a namespace belongs to another release of the same name, which is there. */
export class TrustOfAnother extends NamedError {
  constructor(namespace: string, name: string, owner: string) {
    super(
      `the ConfigMap ${namespace}/${name} belongs to the release ${owner}; set controller.watchNamespaces of both releases, or remove it`,
    );
  }
}

/** An immutable copy is deleted and does not end, since finalizers keep it. */
export class CopyRemains extends NamedError {
  constructor({ namespace, name, finalizers = [] }: ObjectMeta) {
    super(
      `the ConfigMap ${namespace}/${name} is immutable and being deleted, which its finalizers prevent (${finalizers.join(', ')}); remove them`,
    );
  }
}

/**
 * Puts the bundle into a namespace's ConfigMap; keys, labels and annotations that others added stay. An immutable one is deleted and created
 * again, since nothing else can change it.
 */
async function publish(
  kube: Kube,
  { namespace, bundle, object }: Extract<TrustStep, { do: 'publish' }>,
  before: ConfigMapObject | undefined,
  release: string,
): Promise<void> {
  const owner = before?.metadata.annotations?.[ANNOTATIONS.release];
  if (owner !== undefined && owner !== release && !(await isReleaseGone(owner, kube)))
    throw new TrustOfAnother(namespace, object, owner);
  const kind = KINDS.configMap;
  const ref = { namespace, name: object };
  const fresh: ConfigMapObject = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: ref };
  const { immutable, ...mutable } = before ?? fresh;
  const { labels, annotations, uid, deletionTimestamp } = mutable.metadata;
  const marks = {
    labels: { ...labels, [LABELS.managedBy]: MANAGER },
    annotations: { ...annotations, [ANNOTATIONS.release]: release },
  };
  const data = { ...mutable.data, ...bundleData(bundle) };
  if (before && !immutable) {
    await kube.replace(kind, { ...mutable, metadata: { ...mutable.metadata, ...marks }, data });
    return;
  }
  if (before && deletionTimestamp !== undefined) throw new CopyRemains(before.metadata);
  if (before) await kube.delete(kind, ref, { uid });
  await kube.create(kind, { ...mutable, metadata: { ...ref, ...marks }, data });
}

function nextPair({ certPem, keyPem }: KeyPairPem): Texts {
  return { [DATA.nextCaCert]: certPem, [DATA.nextCaKey]: keyPem };
}

/** A step on a Secret is only ever decided when the Secret was read. */
function secretOf({ secrets }: GatheredTrust, name: string): SecretObject {
  const secret = secrets.get(name);
  if (secret === undefined) throw new RangeError(`the Secret ${name} was not gathered`);
  return secret;
}
