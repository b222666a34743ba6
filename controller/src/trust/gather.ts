import type { Clock } from '@aip/runtime/internal/protocol';
import { ANNOTATIONS, LABELS } from '../api/group.js';
import { KINDS } from '../api/kinds.js';
import { KubeError } from '../kube/client/errors.js';
import type { Kube } from '../kube/kube.js';
import { readBundle } from './bundle.js';
import { type Certificate, readCertificates } from './certificates/certificate.js';
import type { PublishedBundle, TrustInputs } from './decide/inputs.js';
import { mapEach } from './each.js';
import { readCa, readKey, readLeaf } from './material.js';
import { DATA, KEY_ROLES, type KeyRole, releaseId, trustNames } from './names.js';
import { type ConfigMapObject, MANAGER, type SecretObject, secretText } from './objects.js';
import { DEFAULT_OVERLAP_MS, type TrustSettings } from './settings.js';

/** Requests to the API server at once. */
const IN_FLIGHT = 16;

/** The objects that inputs were read from, for changing exactly these; a change puts its result here. */
export interface GatheredTrust {
  readonly inputs: TrustInputs;
  /** By name, in the release namespace. */
  readonly secrets: Map<string, SecretObject>;
  /** `aip-trust` by namespace. */
  readonly configMaps: ReadonlyMap<string, ConfigMapObject>;
  /** Why the copies of other namespaces could not be read; they count as not published. */
  readonly unread: ReadonlyMap<string, KubeError>;
}

/**
 * Reads what the decisions rest on, every object by its name. The order matters: bundles before Secrets, and the clock last. A bundle that
 * is then replaced at the version read here was never made from older Secrets than these.
 */
export async function gatherTrust(
  deps: { kube: Kube; clock: Clock },
  settings: TrustSettings,
  wanted: { namespaces: readonly string[]; replicaIssuers: readonly string[] },
): Promise<GatheredTrust> {
  const { kube, clock } = deps;
  const { namespace, release } = settings;
  const names = trustNames(release);
  const namespaces = [...new Set([namespace, ...wanted.namespaces])];
  const configMaps = new Map<string, ConfigMapObject>();
  const unread = new Map<string, KubeError>();
  await mapEach(namespaces, IN_FLIGHT, async (place) => {
    try {
      const found = await kube.get<ConfigMapObject>(KINDS.configMap, { namespace: place, name: names.trust });
      if (found) configMaps.set(place, found);
    } catch (error) {
      if (place === namespace || !(error instanceof KubeError)) throw error;
      unread.set(place, error);
    }
  });

  const managed = settings.certManagerIssuer !== undefined;
  const secretNames = [
    names.ca,
    ...Object.values(names.key),
    ...(managed ? KEY_ROLES.map(names.certificateSecret) : []),
  ];
  const secrets = new Map<string, SecretObject>();
  await mapEach(secretNames, IN_FLIGHT, async (name) => {
    const found = await kube.get<SecretObject>(KINDS.secret, { namespace, name });
    if (found) secrets.set(name, found);
  });

  const offered = (role: KeyRole): SecretObject | undefined => secrets.get(names.certificateSecret(role));
  const byRole = <T>(read: (role: KeyRole) => T): Record<KeyRole, T> => ({
    'control-plane': read('control-plane'),
    gateway: read('gateway'),
  });
  const inputs: TrustInputs = {
    now: clock(),
    names,
    overlapMs: settings.overlapMs ?? DEFAULT_OVERLAP_MS,
    ca: readCa(secrets.get(names.ca)),
    keys: byRole((role) => readKey(secrets.get(names.key[role]))),
    leaves: byRole((role) => readLeaf(secrets.get(names.key[role]))),
    leafNames: settings.leafNames,
    offered: managed ? byRole((role) => readLeaf(offered(role))) : undefined,
    foreignAuthorities: managed ? KEY_ROLES.flatMap((role) => issuersIn(offered(role))) : [],
    published: [namespace, ...namespaces.slice(1)].map((place) =>
      publishedIn(place, configMaps.get(place), releaseId(settings)),
    ) as unknown as TrustInputs['published'],
    replicaIssuers: wanted.replicaIssuers,
  };
  return { inputs, secrets, configMaps, unread };
}

function publishedIn(namespace: string, configMap: ConfigMapObject | undefined, release: string): PublishedBundle {
  return {
    namespace,
    data: configMap && (configMap.data ?? {}),
    bundle: readBundle(configMap ?? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '' } }),
    managed:
      configMap?.metadata.labels?.[LABELS.managedBy] === MANAGER &&
      configMap.metadata.annotations?.[ANNOTATIONS.release] === release,
  };
}

/** The authorities that cert-manager put beside a leaf. A public issuer has none there. */
function issuersIn(secret: SecretObject | undefined): Certificate[] {
  try {
    return readCertificates((secret && secretText(secret, DATA.caCert)) ?? '');
  } catch {
    return [];
  }
}
