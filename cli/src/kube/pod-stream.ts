import { type Duplex, duplexPair, Writable } from 'node:stream';
import { NamedError } from '@aip/runtime/internal/protocol';
import { type KubeConfig, PortForward } from '@kubernetes/client-node';
import { RightMissing } from '../client/errors.js';
import type { GatewayPod } from './gateway-pods.js';

/** What is used of the WebSocket that the client library hands out. */
interface Socket {
  onclose: (() => void) | null;
  terminate(): void;
}

/**
 * A byte stream to a Pod's port through the API server, one WebSocket each. It ends when either side ends; what the kubelet says went wrong is
 * its error. Throws RightMissing.
 */
export async function podStream(config: KubeConfig, pod: GatewayPod): Promise<Duplex> {
  const [near, far] = duplexPair();
  const said: Buffer[] = [];
  const errors = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      said.push(chunk);
      done();
    },
  });
  const forward = new PortForward(config);
  const socket = (await forward
    .portForward(pod.namespace, pod.name, [pod.port], far, errors, far)
    .catch((problem: unknown) => {
      throw refusal(problem, pod);
    })) as unknown as Socket;
  socket.onclose = () => {
    const text = Buffer.concat(said).toString('utf8').trim();
    near.destroy(text === '' ? undefined : broken(text));
    far.destroy();
  };
  near.once('close', () => {
    far.destroy();
    socket.terminate();
  });
  far.on('error', () => near.destroy());
  return near;
}

/** The library hands on the WebSocket's error event; the HTTP status is nowhere but in its message. */
function refusal(problem: unknown, pod: GatewayPod): Error {
  const message = (problem as { message?: string } | undefined)?.message ?? String(problem);
  const status = Number(/\b(\d{3})$/.exec(message)?.[1] ?? 0);
  if (status === 401 || status === 403)
    return new RightMissing(
      `You may not forward ports to Pods of the namespace ${pod.namespace}.`,
      'Ask for the right to get and create pods/portforward, or name an address with --gateway URL.',
    );
  const said = status ? `the API server answers the port-forward with ${status}` : message;
  return broken(said, problem);
}

/** A stream that a Pod, its kubelet or the API server ended. */
function broken(message: string, cause?: unknown): NamedError {
  return new NamedError(message, { name: 'PodStreamBroken', cause });
}
