import { runInside } from '../../e2e/support/pods/inside.ts';
import type { Release } from '../../e2e/support/release.ts';

/** A Pod by its name. */
export interface Place {
  name: string;
  namespace: string;
}

/** Where something listens. */
export interface Address {
  host: string;
  port: number;
}

/** A Pod with the label `app` of its name that takes connections on `port`. */
export function listener({ name, namespace }: Place, image: string, port: number): object {
  const program = `require('node:net').createServer((socket) => socket.end()).listen(${port}, '0.0.0.0')`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'main',
          image,
          command: ['/usr/local/bin/node', '--eval', program],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}

const CONNECT = `
  import { connect } from 'node:net';
  const isOpen = ({ host, port }) => new Promise((done) => {
    const socket = connect({ host, port, timeout: 5000 });
    const end = (open) => {
      socket.destroy();
      done(open);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false)).once('timeout', () => end(false));
  });
  const addresses = Object.entries(JSON.parse(process.argv[1]));
  const open = await Promise.all(addresses.map(async ([name, address]) => ((await isOpen(address)) ? [name] : [])));
  process.stdout.write(JSON.stringify(open.flat()));`;

/** The names of the addresses that take a TCP connection from a Pod within 5 s. */
export async function openFrom(
  kubectl: Release['kubectl'],
  pod: Place,
  addresses: Readonly<Record<string, Address>>,
): Promise<string[]> {
  return JSON.parse(await runInside(kubectl, pod, CONNECT, JSON.stringify(addresses))) as string[];
}
