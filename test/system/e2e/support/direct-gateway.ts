import { createHash } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';
import { trustedFetch } from '#cli/client/trusted-fetch.js';
import { type Gateway, openGateway } from '#runtime/client/gateway.js';
import { RELEASE, type Release } from './release.ts';

const SERVICE_PORT = 443;
const POD_PORT = 8443;

/**
 * A gateway for tenant `demo`, by the address of the Service or of one Pod: nothing goes through the API server. On this machine's own cluster
 * alone, where both can be reached.
 */
export async function directGateway(
  { kubectl }: Release,
  pod?: string,
): Promise<{ gateway: Gateway; close(): Promise<void> }> {
  const read = (path: string, ...what: string[]): Promise<string> =>
    kubectl('get', ...what, '-n', RELEASE.namespace, '-o', `jsonpath={${path}}`);
  const tenant = createHash('sha256').update('demo').digest('hex').slice(0, 10);
  const [host, ca, token] = await Promise.all([
    pod === undefined ? read('.spec.clusterIP', 'service', 'aip-gateway') : read('.status.podIP', 'pod', pod),
    read('.data.ca\\.crt', 'configmap', 'aip-trust'),
    read('.data.token', 'secret', `aip-operator-${tenant}`),
  ]);
  const servername = `aip-gateway.${RELEASE.namespace}.svc`;
  const open = (): Promise<TLSSocket> =>
    new Promise((done, fail) => {
      const socket = connect({ host, port: pod === undefined ? SERVICE_PORT : POD_PORT, servername, ca }, () =>
        done(socket),
      ).once('error', fail);
    });
  const { fetch, close } = trustedFetch({ connect: open });
  const gateway = openGateway({ url: `https://${servername}`, token: Buffer.from(token, 'base64').toString(), fetch });
  return { gateway, close };
}
