import { KubeForbidden } from '@aip/controller/kube/errors.js';
import { KINDS } from '@aip/controller/kube/kinds.js';
import type { Kube } from '@aip/controller/kube/kube.js';
import { DATA, TRUST_ANNOTATIONS, TRUST_CONFIG_MAP, trustNames } from '@aip/controller/trust/names.js';
import { type ConfigMapObject, type SecretObject, secretText } from '@aip/controller/trust/objects.js';
import { CliError, EXIT, RightMissing, UsageError } from '../client/errors.js';
import { componentLabels, gatewayServiceName, MANAGED_LABEL } from '../kube/names.js';
import type { ServiceObject } from '../kube/objects.js';
import type { KubeTarget } from './context.js';

/** What a cluster tells about its fleet: one tenant's operator token and the certificates of the gateways. */
export interface FoundFleet {
  tenant: string;
  token: string;
  /** PEM. */
  ca: string;
}

/** The cluster has no such fleet, or it is not as far yet. */
class FleetNotFound extends CliError {
  readonly code = 'cli.fleet_not_found';
  constructor(message: string, advice: string) {
    super(message, EXIT.failed, advice);
  }
}

const DEFAULT_RELEASE = 'aip';

/**
 * The prefix of a release's objects: the release's own name, or what the chart makes of it, known by the gateway's Service. Without a name
 * the only release of the namespace is meant. Throws
 * FleetNotFound, UsageError when there are several, KubeError.
 */
export async function findRelease(kube: Kube, namespace: string, named: string | undefined): Promise<string> {
  const release = named ?? DEFAULT_RELEASE;
  const gatewayService = gatewayServiceName(release);
  const labels = componentLabels('gateway');
  if (await kube.get<ServiceObject>(KINDS.service, { namespace, name: gatewayService })) return release;
  const { items } = await kube
    .list<ServiceObject>(KINDS.service, {
      namespace,
      labelSelector: named === undefined ? labels : `${labels},app.kubernetes.io/instance=${named}`,
    })
    .catch((error: unknown) => {
      if (error instanceof KubeForbidden) return { items: [] };
      throw error;
    });
  const prefixes = items
    .filter(({ spec }) => spec?.ports?.some(({ port }) => port === 443))
    .map(({ metadata }) => metadata.name.replace(/-gateway$/, ''));
  const [first, ...others] = prefixes;
  if (first === undefined)
    throw new FleetNotFound(
      `The namespace ${namespace} has no gateway: there is no Service ${gatewayService}.`,
      'Name the namespace of the release with --namespace, and the prefix of its objects with --release.',
    );
  if (others.length > 0)
    throw new UsageError(
      `There are several releases in ${namespace}: ${prefixes.join(', ')}.`,
      'Choose with --release.',
    );
  return first;
}

/**
 * Reads what a context needs through the user's own rights. Without a tenant the one operator Secret of the namespace is taken. Throws
 * FleetNotFound, UsageError when there are several tenants, RightMissing, KubeError.
 */
export async function findFleet(kube: Kube, target: KubeTarget, tenant?: string): Promise<FoundFleet> {
  const { namespace } = target;
  const [trust, secret] = await Promise.all([
    kube.get<ConfigMapObject>(KINDS.configMap, { namespace, name: TRUST_CONFIG_MAP }),
    tenant === undefined ? onlyOperator(kube, target) : operatorOf(kube, target, tenant),
  ]);
  const ca = trust?.data?.[DATA.caCert];
  if (!ca)
    throw new FleetNotFound(
      `The namespace ${namespace} has no ConfigMap ${TRUST_CONFIG_MAP} with a ca.crt.`,
      'The controller makes it at its start: `kubectl get pods` shows whether it runs.',
    );
  const token = secretText(secret, DATA.token);
  const owner = secret.metadata.annotations?.[TRUST_ANNOTATIONS.tenant] ?? tenant;
  if (!token || owner === undefined)
    throw new FleetNotFound(
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
  throw new FleetNotFound(
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
  const [first, ...others] = found;
  if (!first)
    throw new FleetNotFound(
      `No tenant of the release ${release} in the namespace ${namespace} has an operator token yet.`,
      'The controller makes one with the first ConnectorInstance of a tenant: apply one with kubectl, then run this again.',
    );
  if (others.length === 0) return first;
  const tenants = found.map(({ metadata }) => metadata.annotations?.[TRUST_ANNOTATIONS.tenant] ?? metadata.name).sort();
  throw new UsageError(
    `The fleet serves ${found.length} tenants: ${tenants.join(', ')}.`,
    'Choose one with --tenant; `aip context add` makes one context a tenant.',
  );
}
