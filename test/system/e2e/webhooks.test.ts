import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePorts } from '#controller/local/process/ports.js';
import type { EventStream } from '#runtime/protocol/types.js';
import { ACCEPTED, deliver, delivery, SECRET } from '../../runtime/host/webhook/support/webhook-host.ts';
import { until } from '../../support/until.ts';
import { EDGES, type Edge, issueFiles } from '../kube/edge/edges.ts';
import { describeFleet } from './support/describe-fleet.ts';
import { installRelease, RELEASE, ROOT, valuesFor } from './support/release.ts';
import { needsThisMachine } from './support/this-machine.ts';
import { webhookResources } from './support/webhook-resources.ts';

const HOST = 'hooks.example';
const INSTANCE = 'support';

interface Ingress {
  spec: {
    rules: {
      host: string;
      http: { paths: { path: string; pathType: string; backend: { service: { name: string; port: object } } }[] };
    }[];
  };
}

describeFleet('webhook deliveries', (release) => {
  const { kubectl } = release ?? {};
  const field = (path: string, ...what: string[]): Promise<string> => kubectl('get', ...what, '-o', `jsonpath=${path}`);

  test.skipIf(needsThisMachine('an edge that reaches the Pods by their addresses'))(
    'P-103 part: a signed delivery comes through the edge that the Ingress describes, and its event is known centrally; nothing else comes through',
    async () => {
      const edges = ['--set', `webhooks.host=${HOST}`, '--set', 'webhooks.ingress.enabled=true'];
      const chart = join(ROOT, 'charts/aip-fleet');
      const folder = await mkdtemp(join(tmpdir(), 'aip-edge-'));
      let edge: ChildProcess | undefined;
      try {
        await release.helm(
          ...['upgrade', RELEASE.name, chart, ...valuesFor(release.cluster), ...edges, '--wait', '--timeout', '5m'],
        );
        await release.apply(...(await webhookResources(INSTANCE)));
        await release.ready(INSTANCE, 1);
        const [rule] = (await release.json<Ingress>('get', 'ingress', `${INSTANCE}-webhooks`)).spec.rules;
        const [route] = rule?.http.paths ?? [];
        const service = route?.backend.service.name as string;
        expect(rule?.host).toBe(HOST);
        expect(route).toMatchObject({ path: `/default/${INSTANCE}/webhooks/chatwoot`, pathType: 'Exact' });
        const url = `https://${HOST}${route?.path}`;
        expect(await field('{.status.webhookUrl}', 'cinst', INSTANCE)).toBe(url);
        expect((await release.aip('fleet', 'describe', `default/${INSTANCE}`)).stdout).toContain(url);

        const files = await issueFiles(folder, HOST);
        const trust = join(folder, 'fleet.crt');
        await writeFile(trust, await field('{.data.ca\\.crt}', 'configmap', 'aip-trust'));
        const address = await field('{.spec.clusterIP}:{.spec.ports[0].port}', 'service', service);
        const [port] = (await freePorts(1)) as [number];
        const nginx = EDGES.nginx as Edge;
        const configuration = nginx.configuration({
          ...{ port, name: HOST, path: route?.path as string, target: address, folder },
          tls: { ...files.paths, ca: trust, backendName: `${service}.default.svc` },
        });
        const file = join(folder, 'edge.conf');
        await writeFile(file, configuration);
        const program = await nginx.program();
        edge = spawn(program.path, nginx.args(file, folder), {
          stdio: 'ignore',
          env: { PATH: process.env.PATH, ...program.env },
        });
        const origin = `https://127.0.0.1:${port}`;
        await until('the edge listens', () => fetch(origin).then(() => true), 60_000);

        const id = randomUUID();
        const send = (path: string) => deliver(origin, delivery(), { id, url: origin + path });
        for (const path of ['/aip/v1/messages', '/aip/v1/manifest', '/ready', '/webhooks/chatwoot'])
          expect((await send(path)).status).toBe(404);
        expect((await fetch(origin + route?.path)).status).toBe(403);
        const forged = await deliver(origin, delivery(), { url: origin + route?.path, secret: `${SECRET}x` });
        expect(forged.body).toEqual({ error: { code: 'webhook.authentication_failed' } });
        expect(await send(route?.path as string)).toMatchObject({
          status: 200,
          body: ACCEPTED,
        });

        const { gateway, close } = await release.gateway();
        try {
          const event = `evt_chatwoot_${createHash('sha256').update(id).digest('hex')}`;
          const kept = await until('the gateway has it', async () => {
            const { events } = (await gateway.request({
              path: '/aip/v1/events?kinds=chatwoot.channel_message&limit=1000',
            })) as EventStream;
            const found = events.filter((each) => each.id === event);
            return found.length > 0 && found;
          });
          expect(kept).toHaveLength(1);
        } finally {
          await close();
        }
      } finally {
        edge?.kill('SIGTERM');
        await kubectl('delete', 'cinst', INSTANCE, '--ignore-not-found', '--timeout=180s');
        await kubectl('delete', 'secret', 'chatwoot', '--ignore-not-found');
        await installRelease(release.cluster);
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
