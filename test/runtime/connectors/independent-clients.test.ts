import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChatwootClient } from '../../../scripts/install/chatwoot-client.ts';
import { type Simulator, startSimulator } from '../../support/simulator.ts';

describe('the client of Twenty', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator('twenty');
  });
  afterAll(() => simulator?.stop());

  const clientWith = async (token: string) => {
    const { RestApiClient } = await import('twenty-client-sdk/rest');
    return new RestApiClient({ baseUrl: `${simulator.url}/`, token });
  };

  test('reads both documents with its credential, in the routes that the connector uses', async () => {
    const client = await clientWith('twenty-api-key');
    for (const kind of ['core', 'metadata'])
      expect(await client.get(`/rest/open-api/${kind}`)).toMatchObject({ openapi: '3.1.1', paths: { '/people': {} } });
    expect((await simulator.requests()).map(({ path, credential, status }) => [path, credential, status])).toEqual([
      ['/rest/open-api/core', 'accepted', 200],
      ['/rest/open-api/metadata', 'accepted', 200],
    ]);
  });

  test('lists, reads, creates, changes and deletes metadata', async () => {
    const client = await clientWith('twenty-api-key');
    const one = '/rest/metadata/objects/20202020-0000-4000-8000-000000000001';
    expect(await client.get('/rest/metadata/objects', { query: { limit: 1 } })).toMatchObject({
      data: { objects: [{ resource: 'objects' }] },
    });
    expect(await client.post('/rest/metadata/objects', { nameSingular: 'parcel' })).toMatchObject({
      data: { nameSingular: 'parcel' },
    });
    expect(await client.patch(one, { isActive: false })).toMatchObject({ data: { isActive: false } });
    for (const answer of [await client.get(one), await client.delete(one)])
      expect(answer).toMatchObject({ data: { id: one.slice(-36) } });
    const seen = (await simulator.requests()).slice(-5);
    expect(seen.map(({ method, status }) => [method, status])).toEqual([
      ['GET', 200],
      ['POST', 201],
      ['PATCH', 200],
      ['GET', 200],
      ['DELETE', 200],
    ]);
  });

  test('reports a refused credential and an unknown route as errors of the provider', async () => {
    const refused = await clientWith('another');
    await expect(refused.get('/rest/open-api/core')).rejects.toMatchObject({
      status: 401,
      body: { statusCode: 401, error: 'Unauthorized' },
    });
    const client = await clientWith('twenty-api-key');
    await expect(client.get('/rest/elsewhere')).rejects.toMatchObject({ status: 404, body: { error: 'Not Found' } });
  });
});

const CHATWOOT = `
import json, sys
from chatwoot import ChatwootClient
from chatwoot.exceptions import ChatwootAuthError, ChatwootNotFoundError
url = sys.argv[1]
aip = {"connector_id": "chatwoot", "loop_prevention": True, "action_id": "act_1"}
with ChatwootClient(base_url=url, api_token="token-1") as client:
    sent = client.messages.create(account_id=1, conversation_id=61, content="Hello", private=True, content_attributes={"aip": aip})
    listed = client.messages.list(account_id=1, conversation_id=61)
    toggled = client.conversations.toggle_status(account_id=1, conversation_id=61, status="resolved")
    read = client.conversations.get(account_id=1, conversation_id=61)
    try:
        client.messages.list(account_id=2, conversation_id=61)
        missing = "found"
    except ChatwootNotFoundError:
        missing = "not found"
try:
    ChatwootClient(base_url=url, api_token="another").messages.list(account_id=1, conversation_id=61)
    refused = "accepted"
except ChatwootAuthError:
    refused = "refused"
print(json.dumps({
    "sent": sent.model_dump(mode="json"), "listed": [each.model_dump(mode="json") for each in listed],
    "status": [toggled.current_status, read.status], "missing": missing, "refused": refused,
}))
`;

const python = findChatwootClient();
describe.skipIf(python === undefined)('the Python client of Chatwoot', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator('chatwoot');
  });
  afterAll(() => simulator?.stop());

  test('sends and lists messages with their attributes, changes a conversation, and meets the errors of the provider', async () => {
    const { stdout } = await promisify(execFile)(python as string, ['-c', CHATWOOT, simulator.url]);
    const answer = JSON.parse(stdout);
    expect(answer.sent).toMatchObject({
      content: 'Hello',
      private: true,
      message_type: 1,
      conversation_id: 61,
      content_attributes: { aip: { connector_id: 'chatwoot', loop_prevention: true, action_id: 'act_1' } },
    });
    expect(answer.listed).toEqual([answer.sent]);
    expect(answer).toMatchObject({ status: ['resolved', 'resolved'], missing: 'not found', refused: 'refused' });
    expect((await simulator.requests()).map(({ credential, status }) => [credential, status])).toEqual([
      ['accepted', 200],
      ['accepted', 200],
      ['accepted', 200],
      ['accepted', 200],
      ['accepted', 404],
      ['refused', 401],
    ]);
  });
});
