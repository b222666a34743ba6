import { expect, test } from 'vitest';
import { plainFetch } from '#cli/client/plain-fetch.js';
import { followAction } from '#runtime/client/follow.js';
import { openGateway } from '#runtime/client/gateway.js';
import { json, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

async function withServer<T>(
  answer: Parameters<typeof scriptedGateway>[0],
  use: (gateway: ReturnType<typeof openGateway>, server: ScriptedGateway) => Promise<T>,
): Promise<T> {
  const server = await scriptedGateway(answer);
  try {
    return await use(openGateway({ url: server.url, token: 't', fetch: plainFetch }), server);
  } finally {
    await server.close();
  }
}

test('sends method, headers and body, and reads the answer', async () => {
  await withServer(
    ({ body }, response) => json(response, { got: body }),
    async (gateway, { seen }) => {
      const sent = { text: 'grün' };
      expect(await gateway.request({ method: 'POST', path: '/aip/v1/messages', body: sent })).toEqual({ got: sent });
      expect(seen[0]).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer t' } });
      expect(seen[0]?.headers['content-length']).toBe(String(Buffer.byteLength(JSON.stringify(sent))));
    },
  );
});

test('several requests use one connection', async () => {
  const ports = new Set<number | undefined>();
  await withServer(
    (_seen, response, request) => {
      ports.add(request.socket.remotePort);
      json(response, {});
    },
    async (gateway) => {
      for (let count = 0; count < 5; count += 1) await gateway.request({ path: '/aip/v1/health' });
      expect(ports.size).toBe(1);
    },
  );
});

test('a redirect is not followed', async () => {
  await withServer(
    (_seen, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end('{}'),
    async (gateway, { seen }) => {
      await expect(gateway.request({ path: '/aip/v1/health' })).rejects.toMatchObject({
        code: 'client.answer_invalid',
      });
      expect(seen).toHaveLength(1);
    },
  );
});

test('what does not listen, what is cut and what speaks no HTTP are named', async () => {
  const nobody = openGateway({ url: 'http://127.0.0.1:9', fetch: plainFetch });
  await expect(nobody.request({ path: '/' })).rejects.toThrow('nothing listens there');
  await withServer(
    (_seen, response) => response.destroy(),
    async (gateway) => expect(gateway.request({ path: '/' })).rejects.toThrow('the connection was cut'),
  );
  await withServer(
    (_seen, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      setImmediate(() => response.destroy());
    },
    async (gateway) => expect(gateway.request({ path: '/' })).rejects.toMatchObject({ code: 'client.unreachable' }),
  );
  await withServer(
    (_seen, response) => json(response, {}),
    async (_gateway, { url }) => {
      const secure = openGateway({ url: url.replace('http:', 'https:'), fetch: plainFetch });
      await expect(secure.request({ path: '/' })).rejects.toThrow('that port speaks http, not https');
    },
  );
});

test('an abort ends a request that waits and a body that comes', async () => {
  const controller = new AbortController();
  await withServer(
    () => controller.abort(),
    async (gateway) =>
      expect(gateway.request({ path: '/', signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' }),
  );
  const later = new AbortController();
  await withServer(
    (_seen, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n'),
    async (gateway) => {
      const { body } = await gateway.open({ path: '/', signal: later.signal });
      const read = async (): Promise<void> => {
        for await (const _part of body as AsyncIterable<Uint8Array>) later.abort();
      };
      await expect(read()).rejects.toThrow();
      expect(later.signal.aborted).toBe(true);
    },
  );
});

test('a stream is read as it comes, and is continued where it broke', async () => {
  let opened = 0;
  const event = (id: string): string => `event: aip.event\ndata: ${JSON.stringify({ event: { id } })}\n\n`;
  await withServer(
    (_seen, response) => {
      opened += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (opened === 1) {
        response.write(`${event('evt_1')}event: aip.stream.cursor\ndata: {"next_cursor":"c1"}\n\n`);
        setImmediate(() => response.destroy());
      } else response.end(`${event('evt_1')}${event('evt_2')}event: aip.stream.terminal\ndata: {}\n\n`);
    },
    async (gateway, { seen }) => {
      const got: string[] = [];
      for await (const item of followAction(gateway, 'act_1', { pause: async () => {} }))
        got.push(item.kind === 'event' ? item.event.id : item.kind);
      expect(got.filter((each) => each !== 'reconnecting')).toEqual(['evt_1', 'evt_2', 'terminal']);
      expect(seen.length).toBeGreaterThan(1);
    },
  );
});

test('a large body is downloaded in parts', async () => {
  const size = 8 * 1024 * 1024;
  await withServer(
    (_seen, response) => response.writeHead(200).end(Buffer.alloc(size)),
    async (gateway) => {
      let bytes = 0;
      let parts = 0;
      for await (const part of await gateway.download({ path: '/' })) {
        bytes += part.length;
        parts += 1;
      }
      expect(bytes).toBe(size);
      expect(parts).toBeGreaterThan(10);
    },
  );
});
