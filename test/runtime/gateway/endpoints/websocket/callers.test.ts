import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../support/until.ts';
import { actionEnvelope, principalEntry, startHttpGateway } from '../../support/gateway.ts';
import { connect } from './client.ts';

test('N-353 part: a credential that is removed counts no longer on a connection that it opened', async () => {
  const desk = principalEntry('desk', { tenant_id: 'acme', scopes: ['*'] });
  const other = principalEntry('other', { tenant_id: 'acme', scopes: ['*'] });
  const gateway = await startHttpGateway({ principals: [desk, other] });
  onTestFinished(gateway.stop);
  const client = await connect(gateway.url, 'desk');
  onTestFinished(client.close);
  client.send(actionEnvelope());
  await client.waitFor('the answer', ({ frames }) => frames[0]?.body.action_result);

  const file = join(gateway.folder, 'PRINCIPALS_FILE');
  await writeFile(`${file}.new`, JSON.stringify([other]), { mode: 0o600 });
  await rename(`${file}.new`, file);
  const list = () => gateway.call('GET', '/aip/v1/actions', { token: 'desk' });
  await until('the credential is removed', async () => (await list()).status === 401);
  client.send(actionEnvelope());
  client.send({ type: 'subscribe', subscription_id: 's1' });
  await client.waitFor('both answers', ({ frames }) => frames.length === 3);
  const codes = client.frames.slice(1).map(({ body }) => body.error.error.code);
  expect(codes).toEqual(['auth.native_http_unauthorized', 'auth.native_http_unauthorized']);
});

test('the development identity is open to programs and to pages of the gateway, not to pages of other sites', async () => {
  const env = { AIP_GATEWAY_NATIVE_BEARER_TOKEN: undefined, AIP_GATEWAY_INSECURE_DEVELOPMENT: 'true' };
  const gateway = await startHttpGateway({ env });
  onTestFinished(gateway.stop);
  for (const headers of [{}, { origin: gateway.url }] as Record<string, string>[]) {
    const client = await connect(gateway.url, undefined, headers);
    expect(client.socket.readyState).toBe(1);
    await client.close();
  }
  for (const origin of ['https://site.example', gateway.url.replace(/\d+$/, '1'), 'null'])
    await expect(connect(gateway.url, undefined, { origin })).rejects.toThrow('Unexpected server response: 40');
});
