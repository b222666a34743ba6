import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import type { Release } from './release.ts';

const NAMESPACE = 'databases';
const NAME = 'fleet-db';
const LABELS = { app: NAME };

/** A server of PostgreSQL in the cluster, with a certificate of an authority of its own. */
export interface PostgresServer {
  /** As the fleet reaches it. */
  readonly host: string;
  /** The certificate of its authority. */
  readonly ca: string;
  remove(): Promise<void>;
}

/** Starts a server that has run `statements`, and waits until it is ready. Nothing of it is kept. */
export async function startPostgresServer(
  { apply, kubectl }: Release,
  image: string,
  statements: string,
): Promise<PostgresServer> {
  const host = `${NAME}.${NAMESPACE}.svc`;
  const authority = await createCa({ now: Date.now() });
  const leaf = await issueLeaf(authority, { dnsNames: [host], now: Date.now() });
  const metadata = { name: NAME, namespace: NAMESPACE };
  const mount = (name: string, mountPath: string): object => ({ name, mountPath });
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await kubectl('wait', '--for=create', 'serviceaccount/default', '-n', NAMESPACE, '--timeout=120s');
  await apply(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { 'tls.crt': leaf.certPem, 'tls.key': leaf.keyPem, password: 'superuser' },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'fleet.sql': statements } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: LABELS, ports: [{ port: 5432 }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, labels: LABELS },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 5,
        securityContext: { runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
        containers: [
          {
            name: 'postgres',
            image,
            args: [
              'postgres',
              ...['ssl=on', 'ssl_cert_file=/tls/tls.crt', 'ssl_key_file=/tls/tls.key', 'max_connections=200'].flatMap(
                (setting) => ['-c', setting],
              ),
            ],
            env: [
              { name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name: NAME, key: 'password' } } },
              { name: 'PGDATA', value: '/var/lib/postgresql/data/own' },
            ],
            volumeMounts: [
              mount('data', '/var/lib/postgresql/data'),
              mount('tls', '/tls'),
              mount('statements', '/docker-entrypoint-initdb.d'),
            ],
            readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
          },
        ],
        volumes: [
          { name: 'data', emptyDir: {} },
          // The server takes a key of root only when others may not read it.
          { name: 'tls', secret: { secretName: NAME, defaultMode: 0o640 } },
          { name: 'statements', configMap: { name: NAME } },
        ],
      },
    },
  );
  await kubectl('wait', '--for=condition=Ready', `pod/${NAME}`, '-n', NAMESPACE, '--timeout=120s');
  return {
    host,
    ca: authority.certPem,
    remove: async () => {
      await kubectl('delete', 'namespace', NAMESPACE, '--timeout=120s');
    },
  };
}
