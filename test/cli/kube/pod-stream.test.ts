import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, expect, test } from 'vitest';
import { RightMissing } from '#cli/client/errors.js';
import { trustedFetch } from '#cli/client/trusted-fetch.js';
import { podStream } from '#cli/kube/pod-stream.js';
import { openTunnel } from '#cli/kube/tunnel.js';
import { openGateway } from '#runtime/client/gateway.js';
import { testAuthority } from '../support/certificates.ts';
import { type PortForwardRelay, portForwardRelay, type Treatment } from '../support/port-forward-relay.ts';
import { json, scriptedGateway } from '../support/scripted-gateway.ts';

const POD = { namespace: 'aip', name: 'gateway-0', port: 8080 };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function relayTo(treatment: Treatment): Promise<{ relay: PortForwardRelay; config: KubeConfig }> {
  const relay = await portForwardRelay(() => treatment);
  cleanups.push(() => relay.close());
  const config = new KubeConfig();
  config.loadFromString(relay.kubeconfig);
  return { relay, config };
}

async function tcpServer(serve: Parameters<typeof createServer>[1]): Promise<number> {
  const server: Server = createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => new Promise((done) => server.close(done)));
  return (server.address() as AddressInfo).port;
}

test('carries bytes both ways, as they are and whatever their number', async () => {
  const port = await tcpServer((socket) => void socket.pipe(socket));
  const { relay, config } = await relayTo({ port });
  const stream = await podStream(config, POD);
  const sent = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
  stream.write(sent);
  let received = Buffer.alloc(0);
  for await (const part of stream) {
    received = Buffer.concat([received, part as Buffer]);
    if (received.length >= sent.length) break;
  }
  expect(received.equals(sent)).toBe(true);
  expect(relay.paths).toEqual(['/api/v1/namespaces/aip/pods/gateway-0/portforward?ports=8080']);
});

test('ends when the Pod ends it', async () => {
  const port = await tcpServer((socket) => void socket.end('all of it'));
  const { config } = await relayTo({ port });
  const stream = await podStream(config, POD);
  expect(String(await buffer(stream).catch(() => 'all of it'))).toBe('all of it');
  expect(stream.destroyed).toBe(true);
});

test('ends the connection in the Pod when this side ends', async () => {
  const arrived = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const port = await tcpServer((socket) => {
    socket.on('data', () => arrived.resolve());
    socket.on('error', () => {});
    socket.once('close', () => gone.resolve());
  });
  const { config } = await relayTo({ port });
  const stream = await podStream(config, POD);
  stream.write('x');
  await arrived.promise;
  stream.destroy();
  await expect(gone.promise).resolves.toBeUndefined();
});

test('breaks when the node goes, and when the kubelet says what is wrong', async () => {
  const port = await tcpServer((socket) => void socket.on('error', () => {}));
  const { relay, config } = await relayTo({ port });
  const stream = await podStream(config, POD);
  stream.resume();
  const closed = once(stream, 'close');
  relay.cut();
  await closed;
  const refused = await relayTo({ error: 'nothing listens on port 8080' });
  const broken = await podStream(refused.config, POD);
  broken.resume();
  const [error] = (await once(broken, 'error')) as [Error];
  expect(error.message).toBe('nothing listens on port 8080');
});

test.each([401, 403])('a %d is a missing right, reported with the right to request', async (refuse) => {
  const { config } = await relayTo({ refuse });
  const problem = podStream(config, POD);
  await expect(problem).rejects.toBeInstanceOf(RightMissing);
  await expect(problem).rejects.toMatchObject({ advice: expect.stringContaining('pods/portforward') });
});

test('any other refusal is reported with its status', async () => {
  const { config } = await relayTo({ refuse: 500 });
  await expect(podStream(config, POD)).rejects.toThrow('500');
});

test('HTTPS runs through it: a request reaches a gateway Pod behind the API server', async () => {
  const authority = await testAuthority();
  const server = await scriptedGateway(
    (_, response) => json(response, { text: 'x'.repeat(300_000) }),
    await authority.leaf('aip-gateway.aip.svc'),
  );
  cleanups.push(() => server.close());
  const { config } = await relayTo({ port: Number(new URL(server.url).port) });
  const tunnel = openTunnel({
    look: async () => ({ pods: [POD], ca: authority.ca }),
    dial: (pod) => podStream(config, pod),
    servername: 'aip-gateway.aip.svc',
    timeoutMs: 5000,
  });
  const trusted = trustedFetch({ connect: tunnel.connect });
  const gateway = openGateway({ url: 'https://aip-gateway.aip.svc', fetch: trusted.fetch });
  const answers = await Promise.all([1, 2, 3].map(() => gateway.request({ path: '/x' })));
  expect(answers.map((answer) => (answer as { text: string }).text.length)).toEqual([300_000, 300_000, 300_000]);
  await trusted.close();
});
