import type { Duplex } from 'node:stream';
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls';
import { isCertificateProblem } from '@aip/runtime/internal/gateway';
import { within } from '@aip/runtime/internal/time';
import { NoGatewayPod, RightMissing } from '../client/errors.js';
import type { GatewayPod } from './gateway-pods.js';

/** What a tunnel is made of. */
export interface TunnelDeps {
  /** The gateway Pods that are ready now, and the certificates (PEM) trusted besides the public roots. */
  look(): Promise<{ pods: GatewayPod[]; ca: string }>;
  /** Opens a byte stream to a Pod's port. */
  dial(pod: GatewayPod): Promise<Duplex>;
  /** Name that the gateway's certificate must have. */
  servername: string;
  /** Bound of one attempt, TLS included, in ms. */
  timeoutMs: number;
}

/**
 * Opens verified TLS connections to any ready gateway Pod. A Pod whose stream broke is asked last the next time, so that whoever connects again
 * lands on another one. Throws NoGatewayPod; a missing right and a certificate problem are thrown
 * as they are, because other Pods would have them too.
 */
export function openTunnel(deps: TunnelDeps): { connect(): Promise<TLSSocket> } {
  const broken = new Map<string, number>();
  let breaks = 0;
  const mark = (pod: GatewayPod): void => {
    breaks += 1;
    broken.set(pod.name, breaks);
  };
  return {
    connect: async () => {
      const { pods, ca } = await deps.look();
      if (pods.length === 0) throw new NoGatewayPod('No gateway Pod is ready.');
      const order = pods.toSorted((a, b) => (broken.get(a.name) ?? 0) - (broken.get(b.name) ?? 0));
      let last: unknown;
      for (const pod of order) {
        try {
          const socket = await withTimeout(connectTo(deps, pod, ca), deps.timeoutMs);
          socket.once('close', () => mark(pod));
          return socket;
        } catch (error) {
          if (error instanceof RightMissing || isCertificateProblem(error)) throw error;
          mark(pod);
          last = error;
        }
      }
      const reason = last instanceof Error ? last.message : String(last);
      throw new NoGatewayPod(
        order.length === 1
          ? `The gateway Pod ${order[0]?.name} can't be reached: ${reason}.`
          : `None of the ${order.length} ready gateway Pods can be reached: ${reason}.`,
        last,
      );
    },
  };
}

async function connectTo(deps: TunnelDeps, pod: GatewayPod, ca: string): Promise<TLSSocket> {
  const stream = await deps.dial(pod);
  return new Promise((done, fail) => {
    const socket = connectTls({
      socket: stream,
      servername: deps.servername,
      ca: [...rootCertificates, ca],
      ALPNProtocols: ['http/1.1'],
    });
    const failed = (error: Error): void => {
      stream.destroy();
      fail(error);
    };
    // What ended the stream says more than the TLS layer's surprise.
    stream.once('error', failed);
    socket.once('error', failed);
    socket.once('secureConnect', () => {
      socket.off('error', failed);
      stream.on('error', () => socket.destroy());
      stream.once('close', () => socket.destroy());
      socket.once('close', () => stream.destroy());
      done(socket);
    });
  });
}

async function withTimeout(work: Promise<TLSSocket>, ms: number): Promise<TLSSocket> {
  try {
    return await within(ms, work, () => {
      throw new Error(`no connection within ${ms / 1000}s`);
    });
  } catch (error) {
    void work.then((socket) => socket.destroy()).catch(() => undefined);
    throw error;
  }
}
