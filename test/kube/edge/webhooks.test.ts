import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { webhookIngress, webhookPlace } from '@aip/controller/cluster/objects/webhook-objects.js';
import { freePorts } from '@aip/controller/local/process/ports.js';
import { createCa, issueLeaf } from '@aip/controller/trust/certificates/ca.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instanceLike } from '../../cluster-unit/support.ts';
import { until } from '../../support/until.ts';
import { deliver, delivery, startWebhookHost, type WebhookHost } from '../../webhooks/support/webhook-host.ts';
import { type DebianProgram, debianProgram } from './debian-program.ts';

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

/** The PEM files of an edge that terminates TLS and encrypts again towards the host: certificate with key, and the authority of both sides. */
interface TlsPaths {
  pair: string;
  ca: string;
}

/** What an edge stands before, and where. */
interface EdgeSetting {
  port: number;
  target: string;
  folder: string;
  /** Absent: plain HTTP on both sides. */
  tls?: TlsPaths;
}

/** An edge that lets through what the Ingress of the instance says: its configuration file, and how it is started with that. */
interface Edge {
  program(): Promise<DebianProgram>;
  configuration(setting: EdgeSetting): string;
  args(file: string, folder: string): string[];
}

const EDGES: Record<string, Edge> = {
  nginx: {
    program: () => debianProgram('usr/sbin/nginx', ['nginx']),
    configuration: ({ port, target, folder, tls }) => `
${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''}; server_name ${rule.host};
    ${tls ? `ssl_certificate ${tls.pair}; ssl_certificate_key ${tls.pair};` : ''}
    location = ${PATH} {
      limit_except POST { deny all; }
      proxy_pass ${tls ? 'https' : 'http'}://${target}; proxy_http_version 1.1;
      ${tls ? `proxy_ssl_verify on; proxy_ssl_trusted_certificate ${tls.ca}; proxy_ssl_name ${HOST_NAME}; proxy_ssl_server_name on;` : ''}
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Request-Id $request_id;
    }
    location / { return 404; }
  }
}`,
    args: (file, folder) => ['-p', folder, '-c', file, '-e', `${folder}/error.log`],
  },
  haproxy: {
    program: () =>
      debianProgram('usr/sbin/haproxy', ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1']),
    configuration: ({ port, target, tls }) => `
defaults
  mode http
  option forwardfor
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend edge
  bind 127.0.0.1:${port}${tls ? ` ssl crt ${tls.pair}` : ''}
  unique-id-format %[uuid]
  unique-id-header X-Request-Id
  acl delivery path -m str ${PATH}
  acl posted method POST
  acl named hdr(host),field(1,:) -i ${rule.host}
  http-request deny deny_status 404 unless delivery posted named
  default_backend hosts
backend hosts
  server one ${target}${tls ? ` ssl verify required ca-file ${tls.ca} verifyhost ${HOST_NAME} sni str(${HOST_NAME})` : ''}
`,
    args: (file) => ['-db', '-f', file],
  },
};

/** Writes an authority and a certificate below it; this process then trusts the authority. */
async function issueFiles(folder: string): Promise<{ cert: string; key: string; paths: TlsPaths }> {
  const now = Date.now();
  const ca = await createCa({ now });
  const leaf = await issueLeaf(ca, { dnsNames: [HOST_NAME], ipAddresses: [HOST], now });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ca.certPem]);
  return {
    cert: await file('tls.crt', leaf.certPem),
    key: await file('tls.key', leaf.keyPem),
    paths: { pair: await file('pair.pem', leaf.certPem + leaf.keyPem), ca: await file('ca.crt', ca.certPem) },
  };
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
      files = await issueFiles(host.folder);
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
      await writeFile(file, edge.configuration({ port, target, folder, ...(files && { tls: files.paths }) }));
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
      const { nowS, signatureOf } = await import('../../webhooks/support/webhook-host.ts');
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
      const answer = await new Promise<string>((done, fail) => {
        let text = '';
        const port = Number(new URL(origin).port);
        const socket = encrypted ? tls.connect({ host: HOST, port }) : connect(port, HOST);
        socket.on('data', (part) => {
          text += part;
        });
        socket.on('error', fail).on('close', () => done(text));
        socket.write(`${head}${pieces.join('')}0\r\n\r\n`);
      });
      expect(answer).toContain('"accepted_events":1');
    });

    test('the edge lets through nothing else of the host', async () => {
      for (const path of ['/aip/v1/messages', '/aip/v1/manifest', '/ready', '/webhooks/chatwoot', `${PATH}/more`])
        expect((await deliver(origin, delivery(), { url: origin + path })).status).toBe(404);
      expect((await fetch(origin + PATH)).status).toBeGreaterThanOrEqual(400);
    });
  });
});
