import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookIngress, webhookPlace } from '#controller/cluster/objects/webhook-objects.js';
import { freePorts } from '#controller/local/process/ports.js';
import { instanceLike } from '../../../controller/cluster/support.ts';
import {
  deliver,
  delivery,
  startWebhookHost,
  type WebhookHost,
} from '../../../runtime/host/webhook/support/webhook-host.ts';
import { until } from '../../../support/until.ts';
import { EDGES, issueFiles } from './edges.ts';

const HOST = '127.0.0.1';
/** The name in the certificates of hosts and edges. */
const HOST_NAME = 'host.test';
const EDGE = { host: HOST, from: [], ingress: { className: '', annotations: {}, tlsSecret: '' } };
const instance = instanceLike(
  {
    connector: { type: 'chatwoot', version: '1' },
    secrets: [{ file: 'webhook-secret', secretKeyRef: { name: 'c', key: 'w' } }],
    webhook: {},
  },
  { name: 'support' },
);
// biome-ignore lint/suspicious/noExplicitAny: the object as it is applied
const rule = (webhookIngress(instance, webhookPlace(instance, EDGE) as never, EDGE.ingress).spec as any).rules[0];
const PATH: string = rule.http.paths[0].path;

/** Writes the bytes of a request to an edge; returns all that it answers until it closes the connection. */
function exchange(origin: string, request: string): Promise<string> {
  const { port, protocol } = new URL(origin);
  return new Promise((done, fail) => {
    let text = '';
    const socket =
      protocol === 'https:' ? tls.connect({ host: HOST, port: Number(port) }) : connect(Number(port), HOST);
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', fail).on('close', () => done(text));
    socket.write(request);
  });
}

describe.each([
  { towards: 'plain HTTP', encrypted: false },
  { towards: 'TLS', encrypted: true },
])('with $towards on both sides of the edge', ({ towards, encrypted }) => {
  let host: WebhookHost;
  let files: Awaited<ReturnType<typeof issueFiles>> | undefined;
  beforeAll(async () => {
    host = await startWebhookHost({ env: { AIP_CONNECTOR_HOST_WEBHOOK_PATH_PREFIX: '/acme/support' }, idle: true });
    if (encrypted) {
      files = await issueFiles(host.folder, HOST_NAME);
      Object.assign(host.env, {
        AIP_CONNECTOR_HOST_TLS_CERT_FILE: files.cert,
        AIP_CONNECTOR_HOST_TLS_KEY_FILE: files.key,
      });
    }
    await host.start();
    await host.ready();
  }, 120_000);
  afterAll(async () => {
    await host?.stop();
  });

  describe.each(Object.entries(EDGES))('behind %s', (name, edge) => {
    let child: ChildProcess;
    let origin: string;
    beforeAll(async () => {
      const folder = join(host.folder, name);
      await mkdir(folder);
      const [port] = (await freePorts(1)) as [number];
      origin = `${encrypted ? 'https' : 'http'}://${HOST}:${port}`;
      const file = join(folder, 'edge.conf');
      const target = new URL(host.host.url).host;
      await writeFile(
        file,
        edge.configuration({ port, name: rule.host, path: PATH, target, folder, ...(files && { tls: files.paths }) }),
      );
      const { path, env } = await edge.program();
      child = spawn(path, edge.args(file, folder), { stdio: 'ignore', env: { PATH: process.env.PATH, ...env } });
      await until('the edge listens', () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
        return fetch(origin).then(() => true);
      });
    }, 120_000);
    afterAll(async () => {
      child?.kill('SIGTERM');
    });
    const send = (body: string | Buffer) =>
      deliver(origin, body, { url: origin + PATH, headers: { 'x-forwarded-proto': 'https' } });

    test(`P-103 a signed delivery keeps its bytes and its three headers through ${name} over ${towards}`, async () => {
      expect(new URL(host.host.url).protocol).toBe(encrypted ? 'https:' : 'http:');
      const text = JSON.stringify(delivery());
      const large = `${text.slice(0, -1)},"padding":"${'x'.repeat(1_048_576 - text.length - 13)}"}`;
      expect(Buffer.byteLength(large)).toBe(1_048_576);
      for (const body of [
        text,
        JSON.stringify(delivery(), null, 2),
        ` ${text}\r\n`,
        text.replace('parcel', 'Päckchen 📦\\u00e9'),
        large,
      ])
        expect((await send(body)).body).toMatchObject({ accepted_events: 1 });
      expect((await send(Buffer.from([0xff]))).body).toEqual({ error: { code: 'webhook.invalid_utf8' } });
    });

    test('a delivery that is sent in pieces keeps its bytes', async () => {
      const { randomUUID } = await import('node:crypto');
      const { nowS, signatureOf } = await import('../../../runtime/host/webhook/support/webhook-host.ts');
      const body = JSON.stringify(delivery());
      const timestamp = nowS();
      const head = [
        `POST ${PATH} HTTP/1.1`,
        `Host: ${HOST}`,
        `x-chatwoot-delivery: ${randomUUID()}`,
        `X-CHATWOOT-TIMESTAMP: ${timestamp}`,
        `X-Chatwoot-Signature: ${signatureOf(body, timestamp)}`,
        'Transfer-Encoding: chunked',
        'Connection: close',
        '',
        '',
      ].join('\r\n');
      const pieces = (body.match(/.{1,11}/gs) ?? []).map(
        (piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`,
      );
      const answer = await exchange(origin, `${head}${pieces.join('')}0\r\n\r\n`);
      expect(answer).toContain('"accepted_events":1');
    });

    test('the edge lets through nothing else of the host', async () => {
      for (const path of ['/aip/v1/messages', '/aip/v1/manifest', '/ready', '/webhooks/chatwoot', `${PATH}/more`])
        expect((await deliver(origin, delivery(), { url: origin + path })).status).toBe(404);
      expect((await fetch(origin + PATH)).status).toBeGreaterThanOrEqual(400);
    });
  });
});
