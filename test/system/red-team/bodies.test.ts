import { connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startGatewayProcess } from '../../runtime/gateway/support/process.ts';
import { startTestbed as startHostTestbed } from '../../runtime/host/support/testbed.ts';
import { freshDatabase } from '../../support/database.ts';
import { beginBody } from '../../support/network/unfinished-body.ts';
import { openProbe, type ProcessProbe } from '../../support/process/process-probe.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
/** Bodies of 1 MiB that lack their end: 120 MiB in all, where a server may hold 8. */
const BODIES = 120;
const BOUND = 8 * MIB;

type Target = { url: string; pid: number; answers: () => Promise<boolean>; stop: () => Promise<unknown> };

async function gateway(): Promise<Target> {
  const database = await freshDatabase();
  const running = await startGatewayProcess(
    {
      POSTGRES_URL: database.url,
      NATIVE_BEARER_TOKEN: 'witness',
      NATIVE_PRINCIPAL_SCOPES: '*',
      MAX_UNFINISHED_BODY_BYTES: `${BOUND}`,
    },
    probe.env,
  );
  return {
    url: running.url,
    pid: running.child.pid as number,
    answers: async () =>
      (await fetch(`${running.url}/aip/v1/actions`, { headers: { authorization: 'Bearer witness' } })).ok,
    stop: () => running.end('SIGKILL').then(() => database.drop()),
  };
}

async function host(): Promise<Target> {
  const testbed = await startHostTestbed({
    env: { ...probe.env, AIP_CONNECTOR_HOST_MAX_UNFINISHED_BODY_BYTES: `${BOUND}` },
  });
  const url = testbed.host.url;
  return {
    url,
    pid: testbed.host.child.pid as number,
    answers: async () => (await fetch(`${url}/health`)).ok,
    stop: () => testbed.stop(),
  };
}

let probe: ProcessProbe;
let targets: Record<string, Target>;

beforeAll(async () => {
  probe = await openProbe();
  targets = { gateway: await gateway(), host: await host() };
});
afterAll(async () => {
  for (const target of Object.values(targets ?? {})) await target.stop();
  await probe?.close();
});

test.each(['gateway', 'host'])(
  'strangers that never finish their bodies cost a %s the configured memory, and no caller is refused',
  async (name) => {
    const target = targets[name] as Target;
    const before = await probe.bufferBytes(target.pid);
    const part = 'x'.repeat(MIB);
    const strangers = Array.from({ length: BODIES }, () =>
      beginBody(target.url, { path: '/aip/v1/messages', declared: 2 * MIB, first: part }),
    );
    const refused = (): number => strangers.filter(({ soFar }) => soFar().includes('http.overloaded')).length;
    await until('all but the bound gave way', () => refused() >= BODIES - BOUND / MIB - 1);
    expect(await target.answers()).toBe(true);
    // A connection has a buffer of its own for what it reads next.
    const isBounded = async () => (await probe.bufferBytes(target.pid)) - before <= BOUND + MIB;
    expect(await until('what gave way is freed', isBounded)).toBe(true);
    expect(refused()).toBeLessThan(BODIES);
    for (const { destroy } of strangers) destroy();
  },
);

test('a wrong bearer is refused before its body is read', async () => {
  const stranger = beginBody((targets.gateway as Target).url, {
    path: '/aip/v1/messages',
    declared: MIB,
    headers: { authorization: 'Bearer wrong' },
  });
  expect(await until('it is refused', () => stranger.soFar().startsWith('HTTP/1.1 401 '))).toBeTruthy();
  stranger.destroy();
});

/** Parts of one byte, in a heap that has room for their bytes and not for an object each. */
const PARTS = 2_000_000;
const HEAP_MIB = 128;

test('a stranger’s body in parts of one byte costs a gateway no more than its bytes', async () => {
  const database = await freshDatabase();
  const gateway = await startGatewayProcess(
    { POSTGRES_URL: database.url, NATIVE_BEARER_TOKEN: 'witness', NATIVE_PRINCIPAL_SCOPES: '*' },
    { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
  );
  onTestFinished(async () => {
    await gateway.end('SIGKILL');
    await database.drop();
  });
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const head =
    'POST /aip/v1/messages HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
  socket.write(head);
  socket.write('1\r\nx\r\n'.repeat(PARTS));
  socket.write('0\r\n\r\n');
  let answer = '';
  for await (const part of socket) answer += part;
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  const listed = await fetch(`${gateway.url}/aip/v1/actions`, { headers: { authorization: 'Bearer witness' } });
  expect(listed.status).toBe(200);
});
