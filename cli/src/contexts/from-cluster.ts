import { KINDS } from '@aip/controller/internal/api';
import { type Kube, KubeForbidden } from '@aip/controller/internal/kube';
import {
  type ConfigMapObject,
  DATA,
  type SecretObject,
  secretText,
  TRUST_ANNOTATIONS,
  trustNames,
} from '@aip/controller/internal/trust';
import { CliError, RightMissing, UsageError } from '../client/errors.js';
import { componentLabels, gatewayServiceName, MANAGED_LABEL } from '../kube/names.js';
import type { InstanceObject, ServiceObject } from '../kube/objects.js';
import type { KubeTarget } from '../kube/target.js';

/** What a cluster says about its fleet: one tenant's operator token and the certificates of the gateways. */
export interface FoundFleet {
  tenant: string;
  token: string;
  /** PEM. */
  ca: string;
}

/** Where a release is looked for when the user may not look everywhere. */
const USUAL = { namespace: 'aip', release: 'aip' } as const;

/**
 * Namespace of a release and prefix of its objects, known by the gateway's Service. What the user did not name is found where there is only one.
 * Throws CliError (`cli.fleet_not_found`), UsageError when there are several, KubeError.
 */
export async function findRelease(
  kube: Kube,
  named: { namespace?: string | undefined; release?: string | undefined },
): Promise<{ namespace: string; release: string }> {
  const { namespace = USUAL.namespace, release = USUAL.release } = named;
  const name = gatewayServiceName(release);
  if (named.namespace !== undefined && (await kube.get<ServiceObject>(KINDS.service, { namespace, name })))
    return { namespace, release };
  const [first, ...others] = await gatewayServices(kube, named);
  if (!first) {
    if (await kube.get<ServiceObject>(KINDS.service, { namespace, name })) return { namespace, release };
    throw new CliError(
      'cli.fleet_not_found',
      `There is no gateway: no Service ${namespace}/${name}.`,
      'Name the namespace of the release with --namespace, and the release with --release.',
    );
  }
  if (others.length === 0) return first;
  const places = [first, ...others].map((place) => `${place.namespace}/${place.release}`).join(', ');
  throw new UsageError(`There are several releases: ${places}.`, 'Choose one with --namespace and --release.');
}

/** The releases of a namespace, or of the cluster; none when they may not be listed. */
async function gatewayServices(
  kube: Kube,
  named: { namespace?: string | undefined; release?: string | undefined },
): Promise<{ namespace: string; release: string }[]> {
  const instance = named.release === undefined ? '' : `,app.kubernetes.io/instance=${named.release}`;
  const labelSelector = `${componentLabels('gateway')}${instance}`;
  const { items } = await kube
    .list<ServiceObject>(KINDS.service, { namespace: named.namespace, labelSelector })
    .catch((error: unknown) => {
      if (error instanceof KubeForbidden) return { items: [] };
      throw error;
    });
  return items
    .filter(({ spec }) => spec?.ports?.some(({ port }) => port === 443))
    .map(({ metadata }) => ({
      namespace: metadata.namespace ?? '',
      release: metadata.name.replace(/-gateway$/, ''),
    }));
}

/**
 * Reads what a context needs through the user's own rights. Without a tenant the one operator Secret of the namespace is taken; of several, that of
 * the one tenant that has instances. Throws CliError (`cli.fleet_not_found`), UsageError when the tenant has to be chosen, RightMissing, KubeError.
 */
export async function findFleet(kube: Kube, target: KubeTarget, tenant?: string): Promise<FoundFleet> {
  const { namespace } = target;
  const { trust: trustName } = trustNames(target.release);
  const [trust, secret] = await Promise.all([
    kube.get<ConfigMapObject>(KINDS.configMap, { namespace, name: trustName }),
    tenant === undefined ? onlyOperator(kube, target) : operatorOf(kube, target, tenant),
  ]);
  const ca = trust?.data?.[DATA.caCert];
  if (!ca)
    throw new CliError(
      'cli.fleet_not_found',
      `The namespace ${namespace} has no ConfigMap ${trustName} with a ca.crt.`,
      'The controller makes it at its start: `kubectl get pods` shows whether it runs.',
    );
  const token = secretText(secret, DATA.token);
  const owner = ownerOf(secret) ?? tenant;
  if (!token || owner === undefined)
    throw new CliError(
      'cli.fleet_not_found',
      `The Secret ${namespace}/${secret.metadata.name} holds no ${token ? 'tenant' : 'token'}.`,
      'Delete it: the controller makes it again.',
    );
  return { tenant: owner, token, ca };
}

/** The tenant's Secret, read by name: no right to list is needed. */
async function operatorOf(kube: Kube, { namespace, release }: KubeTarget, tenant: string): Promise<SecretObject> {
  const name = trustNames(release).operator(tenant);
  const found = await kube.get<SecretObject>(KINDS.secret, { namespace, name });
  if (found) return found;
  throw new CliError(
    'cli.fleet_not_found',
    `The tenant ${tenant} has no operator token: there is no Secret ${namespace}/${name}.`,
    'The controller makes it with the first ConnectorInstance of the tenant; apply one.',
  );
}

async function onlyOperator(kube: Kube, { namespace, release }: KubeTarget): Promise<SecretObject> {
  const { items } = await kube
    .list<SecretObject>(KINDS.secret, { namespace, labelSelector: MANAGED_LABEL })
    .catch((error: unknown) => {
      if (!(error instanceof KubeForbidden)) throw error;
      throw new RightMissing(
        `You may not list the Secrets of the namespace ${namespace}.`,
        'Name the tenant with --tenant: then one Secret is read by its name.',
      );
    });
  const found = items.filter(({ metadata }) => metadata.name.startsWith(`${release}-operator-`));
  const [first, ...others] = found.length > 1 ? await withInstances(kube, found) : found;
  if (!first)
    throw new CliError(
      'cli.fleet_not_found',
      `No tenant of the release ${release} in the namespace ${namespace} has an operator token yet.`,
      'The controller makes one with the first ConnectorInstance of a tenant: apply one with kubectl, then run this again.',
    );
  if (others.length === 0) return first;
  const tenants = [first, ...others].map((secret) => ownerOf(secret) ?? secret.metadata.name).sort();
  throw new UsageError(
    `The fleet serves ${tenants.length} tenants: ${tenants.join(', ')}.`,
    'Choose one with --tenant; `aip context add` makes one context a tenant.',
  );
}

/** The operators whose tenants have instances now: a token outlives the last instance of its tenant. All of them when none has, or it cannot be seen. */
async function withInstances(kube: Kube, operators: readonly SecretObject[]): Promise<readonly SecretObject[]> {
  const { items } = await kube.list<InstanceObject>(KINDS.connectorInstance, {}).catch((error: unknown) => {
    if (error instanceof KubeForbidden) return { items: [] };
    throw error;
  });
  const tenants = new Set<string | undefined>(items.map(({ spec }) => spec.tenantId));
  const serving = operators.filter((secret) => tenants.has(ownerOf(secret)));
  return serving.length > 0 ? serving : operators;
}

function ownerOf({ metadata }: SecretObject): string | undefined {
  return metadata.annotations?.[TRUST_ANNOTATIONS.tenant];
}
