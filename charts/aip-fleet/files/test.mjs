// Submits one streaming action through the gateway and follows it to its end. Run by `helm test`.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { newId } = await import('/app/node_modules/@aip/runtime/dist/protocol/ids.js');
const { formatTime } = await import('/app/node_modules/@aip/runtime/dist/protocol/time.js');
const {
  AIP_TEST_GATEWAY_URL: gateway,
  AIP_TEST_TOKEN_FILE: tokenFile,
  AIP_TEST_TIMEOUT_SECONDS: seconds,
} = process.env;
const deadline = Date.now() + Number(seconds) * 1000;
const say = (text) => process.stdout.write(`${text}\n`);
const fail = (text) => {
  process.stderr.write(`${text}\n`);
  process.exit(1);
};

const headers = {
  authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
  'content-type': 'application/json',
};
const call = (path, options = {}) =>
  fetch(gateway + path, { headers, signal: AbortSignal.timeout(30_000), ...options });

/** A request that is repeated while a gateway does not know the token: the tenant is new, and each gateway hears of it in its own time. */
async function known(path) {
  for (;;) {
    const response = await call(path, { signal: AbortSignal.timeout(Math.max(1, deadline - Date.now())) });
    if (response.status !== 401 || Date.now() + 2000 > deadline) return response;
    await pause(2000);
  }
}

/** The instance was made moments ago: its capability appears once its hosts are ready. */
async function submit() {
  const id = newId('action');
  const action = { id, capability_id: 'cap:demo:count', mode: 'streaming', input: { n: 3, interval_ms: 100 } };
  let problem = '';
  while (Date.now() < deadline) {
    try {
      const body = {
        aip_version: '1.0',
        message_type: 'aip.core.v1.action',
        message_id: newId('message'),
        sent_at: formatTime(Date.now()),
        body: { action },
      };
      const response = await call('/aip/v1/actions', { method: 'POST', body: JSON.stringify(body) });
      const text = await response.text();
      if (response.ok) return id;
      problem = `${response.status} ${text}`;
    } catch (error) {
      problem = `${error.message} ${error.cause?.message ?? ''}`;
    }
    await pause(2000);
  }
  return fail(`no action was accepted: ${problem}`);
}

/** Prints what the action streams until the gateway says that it has ended. */
async function follow(id) {
  const response = await known(`/aip/v1/actions/${id}/events?follow=true`);
  if (!response.ok) fail(`following was refused: ${response.status} ${await response.text()}`);
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    for (const line of text.split('\n')) if (line.startsWith('event:') || line.startsWith('data:')) say(line);
  }
}

/** One action from its submission to its result. */
async function attempt() {
  const id = await submit();
  say(`submitted ${id}`);
  await follow(id);
  const result = await (await known(`/aip/v1/actions/${id}/result`)).json();
  say(JSON.stringify(result));
  return result;
}

let result = await attempt();
// A capability that was known before is taken before the new hosts are ready.
while (result.error?.code === 'connector.replica_unavailable' && Date.now() + 2000 < deadline) {
  await pause(2000);
  result = await attempt();
}
if (result.status !== 'completed') fail(`the action ended as ${result.status}`);
