import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';

const GROUP = 'external.metrics.k8s.io';
const VERSION = `/apis/${GROUP}/v1beta1`;

/** A server of external metrics, as the Prometheus adapter is one. */
export interface ExternalMetrics {
  /** What registers it with the API server. */
  readonly objects: readonly object[];
  /** Metrics that were asked for, with their selectors. */
  readonly asked: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts a server whose metrics all have the value of `value`; undefined is no value. */
export async function startExternalMetrics(value: () => Promise<number | undefined>): Promise<ExternalMetrics> {
  const authority = await createCa({ now: Date.now() });
  const leaf = await issueLeaf(authority, { dnsNames: ['localhost'], now: Date.now() });
  const asked = new Set<string>();
  const answer = async (path: string, selector: string): Promise<object> => {
    const metricName = path.split('/').at(-1) as string;
    if (path === VERSION)
      return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/v1beta1`, resources: [] };
    asked.add(`${path.slice(VERSION.length)} ${selector}`);
    const found = await value();
    return {
      kind: 'ExternalMetricValueList',
      apiVersion: `${GROUP}/v1beta1`,
      metadata: {},
      items:
        found === undefined
          ? []
          : [{ metricName, metricLabels: {}, timestamp: new Date().toISOString(), value: String(found) }],
    };
  };
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'https://localhost');
    answer(pathname, searchParams.get('labelSelector') ?? '').then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const service = { name: 'metrics', namespace: 'default' };
  return {
    objects: [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: service,
        spec: { type: 'ExternalName', externalName: 'localhost' },
      },
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `v1beta1.${GROUP}` },
        spec: {
          group: GROUP,
          version: 'v1beta1',
          groupPriorityMinimum: 100,
          versionPriority: 100,
          insecureSkipTLSVerify: true,
          service: { ...service, port },
        },
      },
    ],
    asked,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
