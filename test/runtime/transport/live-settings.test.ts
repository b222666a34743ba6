import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createCa, type IssuedCertificate, issueLeaf } from '#controller/trust/certificates/ca.js';
import { listen } from '#runtime/transport/http/server.js';
import { exchange } from '#runtime/transport/peer/exchange.js';
import { openPoolCache } from '#runtime/transport/peer/pools.js';
import { env } from '#runtime/transport/settings/env.js';
import { fileSetting, followSetting } from '#runtime/transport/settings/live-setting.js';
import { serverTlsOf, trustedRootsOf } from '#runtime/transport/settings/tls.js';
import { CONFIG_MAP_MODE, mountVersion } from '../../support/mounted.ts';
import { until } from '../../support/until.ts';

let folder: string;
let refusals: string[];
const log = pino({ level: 'error' }, { write: (line: string) => void refusals.push(line) });
beforeEach(async () => {
  refusals = [];
  folder = await mkdtemp(join(tmpdir(), 'aip-live-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Puts a file in its place at once, as an import does. */
async function put(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(`${path}.new`, text, { mode });
  await rename(`${path}.new`, path);
  return path;
}

describe('a setting of a file', () => {
  const follow = (pollEveryMs?: number) => {
    const vars = env('P_', { P_NUMBER_FILE: join(folder, 'number') });
    const read = (): number => {
      const number = Number(vars.publicFile('NUMBER_FILE'));
      if (Number.isNaN(number)) throw vars.refuse('NUMBER_FILE', 'must hold a number');
      return number;
    };
    const told: number[] = [];
    const setting = followSetting(fileSetting([join(folder, 'number')], read), {
      what: 'number',
      log,
      changed: (value) => told.push(value),
      ...(pollEveryMs === undefined ? {} : { pollEveryMs }),
    });
    onTestFinished(setting.close);
    return { ...setting, told };
  };

  test('has its new value soon after the file changed, and says so once', async () => {
    await put('number', '1');
    const { current, told } = follow();
    expect(current()).toBe(1);
    await put('number', '2');
    await until('it is 2', () => current() === 2);
    await put('number', ' 2\n');
    await put('number', '3');
    await until('it is 3', () => current() === 3);
    expect(told).toEqual([2, 3]);
  });

  test('keeps its last good value while the file is wrong or gone, and says why', async () => {
    await put('number', '1');
    const { current } = follow(30);
    await put('number', 'x');
    await until('it was refused', () => refusals.some((line) => line.includes('P_NUMBER_FILE must hold a number')));
    await rm(join(folder, 'number'));
    await until('it is missed', () => refusals.some((line) => line.includes('cannot be read')));
    expect(current()).toBe(1);
    await put('number', '4');
    await until('it is 4', () => current() === 4);
  });

  test('follows the links of a mounted ConfigMap', async () => {
    await mountVersion(folder, { number: '1' }, CONFIG_MAP_MODE);
    const { current } = follow();
    await mountVersion(folder, { number: '2' }, CONFIG_MAP_MODE);
    expect(await until('it is 2', () => current() === 2)).toBeTruthy();
  });

  test('does not change any more once it is closed', async () => {
    await put('number', '1');
    const { current, close } = follow(20);
    const other = follow(20);
    close();
    await put('number', '2');
    await until('another one changed', () => other.current() === 2);
    expect(current()).toBe(1);
  });
});

describe('certificates', () => {
  const now = Date.now();
  const leafOf = (ca: IssuedCertificate) => issueLeaf(ca, { dnsNames: ['peer.test'], ipAddresses: ['127.0.0.1'], now });
  const putLeaf = async (leaf: IssuedCertificate): Promise<void> => {
    await put('tls.key', leaf.keyPem);
    await put('tls.crt', leaf.certPem);
  };
  const vars = () => env('P_', { P_TLS_CERT_FILE: join(folder, 'tls.crt'), P_TLS_KEY_FILE: join(folder, 'tls.key') });
  const serve = async () => {
    const tls = serverTlsOf(vars());
    if (!tls) throw new Error('no certificate was configured');
    const server = await listen((_request, response) => response.end('hello'), {
      host: '127.0.0.1',
      port: 0,
      tls: tls.initial,
    });
    const setting = followSetting(tls, { what: 'server certificate', log, changed: server.reloadTls });
    onTestFinished(async () => {
      setting.close();
      await server.close(0);
    });
    return server;
  };
  /** One request; the certificate that the server showed, and the socket. */
  const ask = (url: string, ca: string, agent?: Agent): Promise<{ serial: string; socket: TLSSocket }> =>
    new Promise((done, fail) => {
      const asked = request(url, { ca, agent: agent ?? false }, (response: IncomingMessage) => {
        const socket = response.socket as TLSSocket;
        const { serialNumber } = socket.getPeerCertificate();
        response.resume().once('end', () => done({ serial: serialNumber, socket }));
      });
      asked.once('error', fail).end();
    });

  test('a new pair is shown to new connections; the old ones stay', async () => {
    const ca = await createCa({ now });
    await putLeaf(await leafOf(ca));
    const { url } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const first = await ask(url, ca.certPem, agent);
    await putLeaf(await leafOf(ca));
    await until('a new connection sees the new one', async () => (await ask(url, ca.certPem)).serial !== first.serial);
    const again = await ask(url, ca.certPem, agent);
    expect(again).toMatchObject({ serial: first.serial });
    expect(again.socket).toBe(first.socket);
  });

  test('a pair that does not fit leaves the old one in force and says so', async () => {
    const ca = await createCa({ now });
    await putLeaf(await leafOf(ca));
    const { url } = await serve();
    const first = await ask(url, ca.certPem);
    await put('tls.crt', (await leafOf(ca)).certPem);
    await until('it was refused', () => refusals.some((line) => line.includes('do not fit')));
    expect((await ask(url, ca.certPem)).serial).toBe(first.serial);
    await putLeaf(await leafOf(ca));
    await until('a whole pair is taken', async () => (await ask(url, ca.certPem)).serial !== first.serial);
  });

  test('a start with a pair that does not fit, or with half of one, is refused', async () => {
    const ca = await createCa({ now });
    await put('tls.crt', (await leafOf(ca)).certPem);
    await put('tls.key', (await leafOf(ca)).keyPem);
    expect(() => serverTlsOf(vars())).toThrow(/^P_TLS_CERT_FILE and P_TLS_KEY_FILE do not fit/);
    expect(() => serverTlsOf(env('P_', { P_TLS_KEY_FILE: join(folder, 'tls.key') }))).toThrow('must be given together');
    expect(serverTlsOf(env('P_', {}))).toBeUndefined();
  });

  test('new connections to peers trust the new bundle, and no more what left it', async () => {
    const [old, next] = [await createCa({ now }), await createCa({ now })];
    await putLeaf(await leafOf(old));
    const { url, port } = await serve();
    const roots = trustedRootsOf(env('P_', { P_CA_FILE: await put('ca.crt', old.certPem, 0o644) }), 'CA_FILE');
    const setting = followSetting(roots, { what: 'trusted certificates', log });
    const pools = openPoolCache({ capacity: 4, connectTimeoutMs: 2000, tlsCa: setting.current });
    onTestFinished(async () => {
      setting.close();
      await pools.close();
    });
    const destination = { host: 'peer.test', address: '127.0.0.1', family: 4 as const, port, tls: true, path: '/' };
    const post = (): Promise<number> =>
      exchange(pools.poolFor({ ...destination, origin: `https://peer.test:${port}` }), {
        origin: `https://peer.test:${port}`,
        path: '/',
        headers: {},
        body: '{}',
        timeoutMs: 2000,
        maxBytes: 100,
      }).then(({ status }) => status);
    expect(await post()).toBe(200);
    const { serial } = await ask(url, old.certPem);
    await putLeaf(await leafOf(next));
    await until('the server shows a leaf of the next authority', async () => {
      return (await ask(url, old.certPem + next.certPem)).serial !== serial;
    });
    await put('ca.crt', old.certPem + next.certPem, 0o644);
    await until('both authorities are trusted', () => setting.current() === (old.certPem + next.certPem).trim());
    expect(await post()).toBe(200);
    await put('ca.crt', old.certPem, 0o644);
    await until('the next one left', () => setting.current() === old.certPem.trim());
    await expect(post()).rejects.toThrow();
  });

  test('a bundle without certificates is refused', async () => {
    const read = async (text: string) => {
      const vars = env('P_', { P_CA_FILE: await put('ca.crt', text, 0o644) });
      return () => trustedRootsOf(vars, 'CA_FILE');
    };
    expect(await read('hello')).toThrow(/^P_CA_FILE must hold certificates in PEM form$/);
    expect(await read('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toThrow('P_CA_FILE');
  });
});
