import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tls from 'node:tls';
import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';
import { type DebianProgram, debianProgram } from './debian-program.ts';

/** Files and names of an edge that terminates TLS and encrypts again: its certificate with key, and the authority and the name of what is behind it. */
export interface EdgeTls {
  pair: string;
  ca: string;
  backendName: string;
}

/** What an edge stands before, and where. */
export interface EdgeSetting {
  port: number;
  /** Host name and path that it lets through. */
  name: string;
  path: string;
  target: string;
  folder: string;
  /** Absent: plain HTTP on both sides. */
  tls?: EdgeTls;
}

/** An edge that lets through POST on one path of one host name, as the Ingress of an instance asks for: its configuration file, and how it is started with that. */
export interface Edge {
  program(): Promise<DebianProgram>;
  configuration(setting: EdgeSetting): string;
  args(file: string, folder: string): string[];
}

export const EDGES: Record<string, Edge> = {
  nginx: {
    program: () => debianProgram('usr/sbin/nginx', ['nginx']),
    configuration: ({ port, name, path, target, folder, tls }) => `
${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''}; server_name ${name};
    ${tls ? `ssl_certificate ${tls.pair}; ssl_certificate_key ${tls.pair};` : ''}
    location = ${path} {
      limit_except POST { deny all; }
      proxy_pass ${tls ? 'https' : 'http'}://${target}; proxy_http_version 1.1;
      ${tls ? `proxy_ssl_verify on; proxy_ssl_trusted_certificate ${tls.ca}; proxy_ssl_name ${tls.backendName}; proxy_ssl_server_name on;` : ''}
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
    configuration: ({ port, name, path, target, tls }) => `
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
  acl delivery path -m str ${path}
  acl posted method POST
  acl named hdr(host),field(1,:) -i ${name}
  http-request deny deny_status 404 unless delivery posted named
  default_backend hosts
backend hosts
  server one ${target}${tls ? ` ssl verify required ca-file ${tls.ca} verifyhost ${tls.backendName} sni str(${tls.backendName})` : ''}
`,
    args: (file) => ['-db', '-f', file],
  },
};

/** Writes an authority and a certificate below it, for `name` and this machine; this process then trusts the authority. */
export async function issueFiles(folder: string, name: string): Promise<{ cert: string; key: string; paths: EdgeTls }> {
  const now = Date.now();
  const ca = await createCa({ now });
  const leaf = await issueLeaf(ca, { dnsNames: [name], ipAddresses: ['127.0.0.1'], now });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ca.certPem]);
  return {
    cert: await file('tls.crt', leaf.certPem),
    key: await file('tls.key', leaf.keyPem),
    paths: {
      pair: await file('pair.pem', leaf.certPem + leaf.keyPem),
      ca: await file('ca.crt', ca.certPem),
      backendName: name,
    },
  };
}
