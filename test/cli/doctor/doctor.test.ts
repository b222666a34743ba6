import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { checkGateway } from '#cli/doctor/check-gateway.js';
import { findingLines } from '#cli/ui/finding-lines.js';
import { openGateway } from '#runtime/client/gateway.js';
import { json, refuse, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

const READY = { status: 'ready', gateway: { ready: true, storage: { ready: true, detail: 'ok' } }, supervisor: {} };
const ACTIONS = { actions: [], total_size: 0 };

let server: ScriptedGateway | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function look(
  ready: (response: ServerResponse) => void,
  actions: (response: ServerResponse) => void = (response) => json(response, ACTIONS),
  now?: () => number,
) {
  server = await scriptedGateway(({ path }, response) => (path === '/ready' ? ready(response) : actions(response)));
  const findings = await checkGateway(openGateway({ url: server.url, token: 't' }), now);
  return Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]));
}

describe('what the doctor finds about a gateway', () => {
  test('all is well', async () => {
    expect(await look((response) => json(response, READY))).toEqual({
      gateway: 'ok',
      database: 'ok',
      clock: 'ok',
      token: 'ok',
    });
  });

  test('the database is gone', async () => {
    const storage = { ready: false, detail: 'no answer' };
    const body = { status: 'not_ready', gateway: { storage }, supervisor: { runtime_worker_running: false } };
    expect(await look((response) => json(response, body, 503))).toMatchObject({
      gateway: 'fail',
      database: 'fail',
      worker: 'fail',
    });
  });

  test('the clock of the gateway is far from that of its database', async () => {
    const clock = { ready: false, skew_ms: 60_000, detail: 'the clock of the gateway is 60000 ms ahead' };
    const body = { ...READY, status: 'not_ready', gateway: { ...READY.gateway, ready: false, clock } };
    expect(await look((response) => json(response, body, 503))).toMatchObject({ gateway: 'fail', time: 'fail' });
  });

  test.each([
    ['a million actions that are kept forever', { actions: 1_000_000, bytes: 1, days: 0 }, 'warn'],
    ['10 GiB of actions that are kept forever', { actions: 5, bytes: 10 * 1_073_741_824, days: 0 }, 'warn'],
    ['one action less', { actions: 999_999, bytes: 1, days: 0 }, undefined],
    ['as many that are removed one day', { actions: 1_000_000, bytes: 1, days: 30 }, undefined],
  ])('%s', async (_title, { actions, bytes, days }, verdict) => {
    const text = `# TYPE aip_stored_actions gauge\naip_stored_actions ${actions}\naip_stored_actions_bytes ${bytes}\naip_retention_actions_days ${days}\n`;
    server = await scriptedGateway(({ path }, response) => {
      if (path === '/metrics') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
      json(response, path === '/ready' ? READY : ACTIONS);
    });
    const findings = await checkGateway(openGateway({ url: server.url, token: 't' }));
    expect(findings.find(({ check }) => check === 'actions')?.verdict).toBe(verdict);
  });

  test('the token is not taken, or may not list', async () => {
    const denied = (status: number) => (response: ServerResponse) =>
      refuse(response, { code: 'auth.refused', category: 'auth', retryable: false }, status);
    expect(await look((response) => json(response, READY), denied(401))).toMatchObject({ token: 'fail' });
    await server?.close();
    expect(await look((response) => json(response, READY), denied(403))).toMatchObject({ token: 'warn' });
  });

  test.each([-60_000, 60_000])('a clock that is off by %d ms', async (off) => {
    const found = await look(
      (response) => json(response, READY),
      undefined,
      () => Date.now() + off,
    );
    expect(found).toMatchObject({ clock: 'warn', gateway: 'ok' });
  });

  test('something else answers there', async () => {
    const page = (response: ServerResponse): void => void response.writeHead(200).end('<html>');
    expect(await look((response) => void response.writeHead(404).end('no'), page)).toMatchObject({ token: 'fail' });
    await server?.close();
    expect(await look((response) => void response.writeHead(302).end(), page)).toMatchObject({ gateway: 'fail' });
  });

  test('an edge that shows the API alone', async () => {
    const found = await look((response) => void response.writeHead(404).end('no'));
    expect(found).toMatchObject({ gateway: 'skip', token: 'ok' });
  });

  test('nothing listens', async () => {
    const findings = await checkGateway(openGateway({ url: 'http://127.0.0.1:9' }));
    expect(findings).toMatchObject([
      { check: 'gateway', verdict: 'fail', advice: expect.any(String) },
      { check: 'token', verdict: 'skip' },
    ]);
  });
});

test('a finding keeps within the terminal; what to do stands beneath it', () => {
  const lines = findingLines(
    { check: 'gateway', verdict: 'fail', message: 'it answers nothing at all today', advice: 'look at its log' },
    30,
  );
  expect(lines).toEqual([
    '✗ gateway     it answers',
    '              nothing at all',
    '              today',
    '              look at its log',
  ]);
});
