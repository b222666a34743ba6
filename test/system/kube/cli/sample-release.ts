import { KINDS } from '#controller/api/kinds.js';
import { newToken } from '#controller/fleet/principals.js';
import type { Kube, KubeObject, ResourceKind } from '#controller/kube/kube.js';
import { createCa } from '#controller/trust/certificates/ca.js';
import { DATA, TRUST_ANNOTATIONS, trustNames } from '#controller/trust/names.js';
import { newSecret } from '#controller/trust/objects.js';
import { until } from '../../../support/until.ts';
import { makeNamespace } from './sample-fleet.ts';

interface Any extends KubeObject {
  [member: string]: unknown;
}

const SERVICE_ACCOUNT: ResourceKind = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

/** DIDs that the sample publishes for gateways. */
export const GATEWAY_DIDS = ['did:key:z6MkmghdggH9iwAwmMypZmN9EsfPGwsbvmum2HkFWXVzrAeE'];

/** What a chart and a controller leave in the namespace of a release, as far as a CLI looks: no Pod runs. `prefix` begins all names. */
export async function sampleRelease(kube: Kube, namespace: string, prefix: string): Promise<{ ca: string }> {
  await makeNamespace(kube, namespace);
  const make = (kind: ResourceKind, name: string, rest: object = {}, labels = {}): Promise<Any> =>
    kube.create<Any>(kind, {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { namespace, name, labels },
      ...rest,
    });
  const labels = {
    'app.kubernetes.io/instance': 'sample',
    'app.kubernetes.io/part-of': 'aip-fleet',
    'app.kubernetes.io/component': 'gateway',
  };
  await make(
    KINDS.service,
    `${prefix}-gateway`,
    { spec: { selector: labels, ports: [{ name: 'https', port: 443, targetPort: 'https' }] } },
    labels,
  );
  const { certPem: ca } = await createCa({ now: Date.now() });
  await make(KINDS.configMap, `${prefix}-trust`, {
    data: { [DATA.caCert]: ca, [DATA.gatewayDids]: `${GATEWAY_DIDS.join('\n')}\n`, [DATA.controlPlaneDids]: '' },
  });
  const names = trustNames(prefix);
  const secret = (name: string, texts: Record<string, string>) =>
    kube.create(KINDS.secret, newSecret({ name, namespace }, texts));
  await secret(names.principals, { [DATA.principals]: '[]' });
  await secret(names.ca, { [DATA.caCert]: ca });
  await secret(names.key.gateway, { [DATA.seed]: 'a'.repeat(64) });
  await secret(names.key['control-plane'], { [DATA.seed]: 'b'.repeat(64) });
  return { ca };
}

/** The Secret with a tenant's operator token, as the controller makes it; gives the token. */
export async function makeOperator(kube: Kube, namespace: string, prefix: string, tenant: string): Promise<string> {
  const token = newToken();
  const annotations = { [TRUST_ANNOTATIONS.tenant]: tenant };
  const name = trustNames(prefix).operator(tenant);
  await kube.create(KINDS.secret, newSecret({ name, namespace, annotations }, { [DATA.token]: token }));
  return token;
}

/** A Pod of a release that no node runs; `ready` says what its status is made to claim. */
export async function makePod(
  kube: Kube,
  at: { namespace: string; prefix: string; component: 'gateway' | 'controller' },
  kubectl: (args: string[]) => Promise<string>,
  ready: boolean,
): Promise<void> {
  const name = `${at.prefix}-${at.component}-0`;
  const account = { namespace: at.namespace, name: 'default' };
  await until('the namespace has its service account', () => kube.get(SERVICE_ACCOUNT, account));
  const { apiVersion, kind } = KINDS.pod;
  await kube.create<Any>(KINDS.pod, {
    apiVersion,
    kind,
    metadata: {
      namespace: at.namespace,
      name,
      labels: {
        'app.kubernetes.io/instance': 'sample',
        'app.kubernetes.io/part-of': 'aip-fleet',
        'app.kubernetes.io/component': at.component,
      },
    },
    spec: {
      containers: [{ name: at.component, image: 'nothing', ports: [{ name: 'https', containerPort: 8080 }] }],
    },
  });
  const status = { status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] } };
  await kubectl([
    ...['--namespace', at.namespace, 'patch', 'pod', name, '--subresource', 'status', '--type', 'merge'],
    ...['--patch', JSON.stringify(status)],
  ]);
}
