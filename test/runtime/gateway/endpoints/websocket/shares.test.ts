import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../support/until.ts';
import { errorOf, type HttpGateway } from '../../support/gateway.ts';
import { expectShares, startSharedGateway } from '../../support/shares.ts';
import { connect } from './client.ts';

let gateway: HttpGateway;

beforeAll(async () => {
  gateway = await startSharedGateway({
    AIP_GATEWAY_MAX_WEBSOCKETS: '4',
    AIP_GATEWAY_MAX_WEBSOCKETS_PER_TENANT: '3',
    AIP_GATEWAY_MAX_WEBSOCKETS_PER_PRINCIPAL: '2',
  });
});
afterAll(async () => {
  await gateway?.stop();
});

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The error with which an upgrade of a caller is refused. */
async function refusalOf(token: string) {
  const answer = await new Promise<{ status: number; body: unknown }>((done, fail) => {
    const asked = request(`${gateway.url}/aip/v1/ws`, { headers: { ...UPGRADE, authorization: `Bearer ${token}` } });
    asked.once('error', fail).once('upgrade', (_response, socket) => {
      socket.destroy();
      fail(new Error('it was accepted'));
    });
    asked.once('response', async (response) => {
      let text = '';
      for await (const part of response) text += part;
      done({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
    asked.end();
  });
  expect(answer.status).toBe(429);
  return errorOf({ ...answer, headers: new Headers() });
}

test('WebSocket connections are bounded for a principal, a tenant and the server; a closed one makes room', async () => {
  const open = await expectShares('ws.connections_exceeded', (token) => connect(gateway.url, token), refusalOf);
  open[0]?.socket.terminate();
  const next = await until('there is room', () => connect(gateway.url, 'di').catch(() => undefined));
  for (const client of [...open.slice(1), next]) await client.close();
});
