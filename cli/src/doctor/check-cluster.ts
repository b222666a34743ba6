import { KINDS, VERSION } from '@aip/controller/internal/api';
import {
  type Kube,
  KubeError,
  KubeForbidden,
  KubeNotFound,
  type KubeObject,
  KubeUnavailable,
  type ResourceKind,
} from '@aip/controller/internal/kube';
import { RightMissing } from '../client/errors.js';
import { timeLeft } from '../duration.js';
import { readClusterFleet } from '../fleet/cluster-fleet.js';
import type { Cluster } from '../kube/cluster.js';
import { componentLabels } from '../kube/names.js';
import { isPodReady, type LeaseObject, type PodObject } from '../kube/objects.js';
import { type Finding, finding } from './check.js';

type Place = Pick<Cluster, 'kube' | 'target'>;

/** Is the fleet installed, does it run, who leads, and does an instance need a person? */
export async function checkCluster(place: Place, now: () => number = Date.now): Promise<Finding[]> {
  const definitions = await guarded('definitions', () => checkDefinitions(place.kube));
  if (definitions.some(({ check, verdict }) => check === 'cluster' && verdict === 'fail')) return definitions;
  const rest = await Promise.all([
    guarded('controller', () => checkPods(place, 'controller')),
    guarded('leader', () => checkLeader(place, now())),
    guarded('gateways', () => checkPods(place, 'gateway')),
    guarded('instances', () => checkInstances(place.kube)),
  ]);
  return [...definitions, ...rest.flat()];
}

/** A look that the API server does not allow is skipped; one that it does not answer is the cluster's fault. */
async function guarded(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof KubeForbidden && error.status === 401)
      return [finding.fail('cluster', 'it does not know you', 'Log in to the cluster again.')];
    if (error instanceof KubeForbidden || error instanceof RightMissing)
      return [finding.skip(check, 'your rights in the cluster do not reach to it')];
    if (error instanceof KubeUnavailable)
      return [
        finding.fail('cluster', `the API server does not answer: ${error.message}`, 'Does `kubectl version` reach it?'),
      ];
    if (error instanceof KubeError || error instanceof Error)
      return [finding.fail(check, error.message, 'Run it again with DEBUG=aip for more.')];
    throw error;
  }
}

interface Definition extends KubeObject {
  spec?: { versions?: { name: string; served: boolean }[] };
  status?: { conditions?: { type: string; status: string }[] };
}

const DEFINITIONS: ResourceKind = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

async function checkDefinitions(kube: Kube): Promise<Finding[]> {
  const plurals = [KINDS.connectorInstance.plural, KINDS.connectorReplica.plural];
  const problems: string[] = [];
  for (const plural of plurals) {
    const name = `${plural}.fleet.aip.dev`;
    const found = await kube.get<Definition>(DEFINITIONS, { name });
    if (!found) problems.push(`${name} is missing`);
    else if (!found.spec?.versions?.some((version) => version.name === VERSION && version.served))
      problems.push(`${name} does not serve ${VERSION}`);
    else if (!found.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True'))
      problems.push(`${name} is not established`);
  }
  if (problems.length === 0) return [finding.ok('definitions', `${plurals.join(' and ')} ${VERSION}`)];
  return [
    finding.fail('definitions', problems.join(', '), 'Install the chart with crds.enabled, or apply the folder crds.'),
  ];
}

async function checkPods({ kube, target }: Place, component: 'controller' | 'gateway'): Promise<Finding[]> {
  const check = component === 'gateway' ? 'gateways' : 'controller';
  const { items } = await kube.list<PodObject>(KINDS.pod, {
    namespace: target.namespace,
    labelSelector: componentLabels(component),
  });
  const own = items.filter(({ metadata }) => metadata.name.startsWith(`${target.release}-`));
  const ready = own.filter(isPodReady);
  const said = `${ready.length} of ${own.length} Pods ready`;
  const logs = `kubectl -n ${target.namespace} describe pods -l app.kubernetes.io/component=${component}`;
  if (own.length === 0)
    return [finding.fail(check, `no ${component} Pod in ${target.namespace}`, 'Is the chart installed there?')];
  if (ready.length === own.length) return [finding.ok(check, said)];
  const because = own.filter((pod) => !isPodReady(pod)).map(waitingFor);
  const message = `${said}: ${because.join(', ')}`;
  return [ready.length === 0 ? finding.fail(check, message, logs) : finding.warn(check, message, logs)];
}

function waitingFor({ metadata, status }: PodObject): string {
  const reason = status?.containerStatuses?.map(({ state }) => state?.waiting?.reason).find((found) => found);
  return `${metadata.name} ${reason ?? status?.phase ?? 'is not ready'}`;
}

async function checkLeader({ kube, target }: Place, now: number): Promise<Finding[]> {
  const { items } = await kube.list<LeaseObject>(KINDS.lease, { namespace: target.namespace });
  const lease = items.find(({ metadata }) => metadata.name.startsWith(target.release));
  const holder = lease?.spec?.holderIdentity;
  if (!lease || !holder)
    return [finding.fail('leader', 'no controller is the leader', 'Check the log of the controller Pods.')];
  const agoMs = now - Date.parse(lease.spec?.renewTime ?? '');
  const lifeMs = (lease.spec?.leaseDurationSeconds ?? 15) * 1000;
  if (agoMs <= lifeMs) return [finding.ok('leader', holder)];
  return [
    finding.fail(
      'leader',
      `${holder} has not renewed its lease for ${timeLeft(agoMs)}`,
      'Check the log of the controller Pods; compare the clocks too.',
    ),
  ];
}

async function checkInstances(kube: Kube): Promise<Finding[]> {
  const views = await readClusterFleet(kube).catch((error: unknown) => {
    if (error instanceof KubeNotFound) return undefined;
    throw error;
  });
  if (!views) return [finding.skip('instances', 'there are no definitions')];
  if (views.length === 0)
    return [finding.warn('instances', 'there are none', 'Apply a ConnectorInstance: examples/demo.yaml is one.')];
  const wrong = views.filter(({ healthy }) => !healthy);
  if (wrong.length === 0) return [finding.ok('instances', `${views.length} of ${views.length} ready`)];
  return wrong.map((view) => {
    const message = `${view.namespace}/${view.name}: ${view.problems[0]?.message || view.status}`;
    const advice = `aip fleet describe ${view.namespace}/${view.name}`;
    const needsPerson = view.stalled || view.problems.some(({ type }) => type === 'Admitted');
    return needsPerson ? finding.fail('instances', message, advice) : finding.warn('instances', message, advice);
  });
}
