import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RightMissing } from '#cli/client/errors.js';
import { trustedFetch } from '#cli/client/trusted-fetch.js';
import { type GatewayPod, gatewayPods, selectorText } from '#cli/kube/gateway-pods.js';
import type { PodObject, ServiceObject } from '#cli/kube/objects.js';
import { openTunnel } from '#cli/kube/tunnel.js';
import { type Followed, followAction } from '#runtime/client/follow.js';
import { type Gateway, openGateway } from '#runtime/client/gateway.js';
import { submitAction } from '#runtime/client/submit.js';
import { testAuthority } from '../support/certificates.ts';
import { frame, json, type ScriptedGateway, type Seen, scriptedGateway } from '../support/scripted-gateway.ts';

const NAME = 'aip-gateway.aip.svc';
const ID = 'act_018f3c0e6b7a7c1d9e2f001122330301';
const chunk = (sequence: number) => ({ chunk: { action_id: ID, sequence, kind: 'data', data: { value: sequence } } });

let authority: Awaited<ReturnType<typeof testAuthority>>;
beforeAll(async () => {
  authority = await testAuthority();
});

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Gateway Pods on this machine: each a TLS server on a TCP port of its own; a dial is a plain TCP connection. */
async function pods(
  answers: Record<string, Parameters<typeof scriptedGateway>[0]>,
  dnsName = NAME,
): Promise<{ gateway: Gateway; ready: Set<string>; dialled: string[]; kill(name: string): Promise<void> }> {
  const tls = await authority.leaf(dnsName);
  const servers = new Map<string, ScriptedGateway>();
  for (const [name, answer] of Object.entries(answers)) {
    const server = await scriptedGateway(answer, tls);
    servers.set(name, server);
    cleanups.push(() => server.close());
  }
  const ready = new Set(servers.keys());
  const dialled: string[] = [];
  const portOf = (name: string): number => Number(new URL(servers.get(name)?.url ?? '').port);
  const tunnel = openTunnel({
    look: async () => ({
      pods: [...ready].map((name) => ({ namespace: 'aip', name, port: portOf(name) })),
      ca: authority.ca,
    }),
    dial: (pod) => {
      dialled.push(pod.name);
      return dialTcp(pod);
    },
    servername: NAME,
    timeoutMs: 2000,
  });
  const trusted = trustedFetch({ connect: tunnel.connect });
  cleanups.push(() => trusted.close());
  return {
    gateway: openGateway({ url: `https://${NAME}`, token: 't', fetch: trusted.fetch }),
    ready,
    dialled,
    kill: async (name) => servers.get(name)?.close(),
  };
}

function dialTcp({ port }: GatewayPod): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connectTcp(port, '127.0.0.1', () => done(socket));
    socket.once('error', fail);
  });
}

async function follow(gateway: Gateway, onChunk?: () => Promise<void>): Promise<Followed[]> {
  const found: Followed[] = [];
  for await (const item of followAction(gateway, ID, { pause: async () => {} })) {
    found.push(item);
    if (item.kind === 'chunk' && item.chunk.sequence === 1) await onChunk?.();
  }
  return found;
}

describe('a tunnel to gateway Pods', () => {
  test('a request reaches a Pod under its TLS name, with the token', async () => {
    let seen: Seen | undefined;
    const { gateway } = await pods({
      one: (request, response) => {
        seen = request;
        json(response, { ok: true });
      },
    });
    expect(await gateway.request({ path: '/ready' })).toEqual({ ok: true });
    expect(seen?.headers).toMatchObject({ host: NAME, authorization: 'Bearer t' });
  });

  test('a follow outlives the death of its gateway Pod: it continues at another one after the last event', async () => {
    let asked: string | null = null;
    const { gateway, dialled, kill } = await pods({
      one: (_, response) => {
        frame(response, 'aip.stream.cursor', { next_cursor: 'cursor-1' });
        frame(response, 'aip.stream.chunk', chunk(1), 'c1');
      },
      two: ({ query }, response) => {
        asked = query.get('cursor');
        frame(response, 'aip.stream.chunk', chunk(1), 'c1');
        frame(response, 'aip.stream.chunk', chunk(2), 'c2');
        frame(response, 'aip.stream.terminal', {});
        response.end();
      },
    });
    const items = await follow(gateway, () => kill('one'));
    expect(items.map((item) => (item.kind === 'chunk' ? item.chunk.sequence : item.kind))).toEqual([
      1,
      'reconnecting',
      2,
      'terminal',
    ]);
    expect(asked).toBe('cursor-1');
    expect(dialled).toEqual(['one', 'two']);
  });

  test('a Pod that does not answer is passed over', async () => {
    const { gateway, dialled, kill } = await pods({
      dead: (_, response) => json(response, { from: 'dead' }),
      live: (_, response) => json(response, { from: 'live' }),
    });
    await kill('dead');
    expect(await gateway.request({ path: '/ready' })).toEqual({ from: 'live' });
    expect(dialled).toEqual(['dead', 'live']);
  });

  test('without a ready Pod nothing is sent and the user learns why', async () => {
    const { gateway, ready } = await pods({ one: (_, response) => json(response, {}) });
    ready.clear();
    await expect(submitAction(gateway, { capabilityId: 'cap:demo:echo', input: {} })).rejects.toMatchObject({
      code: 'cli.no_gateway_pod',
      exit: 7,
      advice: expect.stringContaining('aip doctor'),
    });
  });

  test('a gateway with a certificate for another name is not talked to, and no other Pod is tried', async () => {
    const { gateway, dialled } = await pods(
      { one: (_, response) => json(response, {}), two: (_, response) => json(response, {}) },
      'somebody-else.aip.svc',
    );
    await expect(gateway.request({ path: '/ready' })).rejects.toMatchObject({ code: 'client.unreachable' });
    expect(dialled).toHaveLength(1);
  });

  test('a missing right ends a follow at once', async () => {
    const tunnel = openTunnel({
      look: async () => ({ pods: [{ namespace: 'aip', name: 'one', port: 1 }], ca: authority.ca }),
      dial: async () => {
        throw new RightMissing('no', 'ask');
      },
      servername: NAME,
      timeoutMs: 2000,
    });
    const trusted = trustedFetch({ connect: tunnel.connect });
    cleanups.push(() => trusted.close());
    const gateway = openGateway({ url: `https://${NAME}`, fetch: trusted.fetch });
    await expect(follow(gateway)).rejects.toBeInstanceOf(RightMissing);
  });
});

describe('gateway Pods of a Service', () => {
  const service = (targetPort: string | number): ServiceObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'aip-gateway' },
    spec: { selector: { app: 'gateway', release: 'aip' }, ports: [{ port: 443, targetPort }] },
  });
  const pod = (name: string, change: Partial<PodObject> = {}, ready = 'True'): PodObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'aip' },
    spec: { containers: [{ name: 'gateway', ports: [{ name: 'https', containerPort: 8080 }] }] },
    status: { conditions: [{ type: 'Ready', status: ready }] },
    ...change,
  });

  test('are those that are ready and not going away, at the port that the Service means', () => {
    const going = { metadata: { name: 'going', namespace: 'aip', deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const all = [pod('a'), pod('starting', {}, 'False'), pod('going', going), pod('bare', { spec: {} })];
    expect(gatewayPods(service('https'), all)).toEqual([{ namespace: 'aip', name: 'a', port: 8080 }]);
    expect(gatewayPods(service(9443), [pod('a')])).toEqual([{ namespace: 'aip', name: 'a', port: 9443 }]);
  });

  test('are selected by all labels of the Service', () => {
    expect(selectorText(service(1).spec?.selector ?? {})).toBe('app=gateway,release=aip');
  });
});
