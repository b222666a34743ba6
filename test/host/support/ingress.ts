import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeEnvelope, type Envelope, verifyEnvelope } from '@aip/runtime/protocol/envelope.js';
import { parseJson } from '@aip/runtime/protocol/json.js';
import type { ConnectorCallbackRoute, ConnectorEventRoute, Event, StreamChunk } from '@aip/runtime/protocol/types.js';

/** One envelope that a host published, verified. */
export interface Published {
  path: string;
  envelope: Envelope;
  did: string;
  text: string;
}

/** The central ingress as far as a host sees it: it verifies signatures and answers with the status a test wants. */
export interface Ingress {
  readonly callbackUrl: string;
  readonly eventUrl: string;
  readonly received: Published[];
  /** Status of the answer; default 200. `hang up` gives none. */
  answer: (published: Published) => number | 'hang up' | Promise<number | 'hang up'>;
  chunks(actionId: string): StreamChunk[];
  callbackRoutes(actionId: string): ConnectorCallbackRoute[];
  /** Events that were answered with 200, in order, with their routes. */
  events(): { event: Event; route: ConnectorEventRoute }[];
  close(): Promise<void>;
}

export async function startIngress(): Promise<Ingress> {
  const received: Published[] = [];
  const taken: Published[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const envelope = decodeEnvelope(parseJson(text));
    const published = { path: request.url ?? '', envelope, did: await verifyEnvelope(envelope), text };
    received.push(published);
    const status = await ingress.answer(published);
    if (status === 'hang up') {
      request.socket.destroy();
      return;
    }
    if (status === 200) taken.push(published);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chunkOf = ({ envelope }: Published): StreamChunk | undefined =>
    (envelope.body as { stream_chunk?: StreamChunk }).stream_chunk;
  const ofAction = (actionId: string) => taken.filter((each) => chunkOf(each)?.action_id === actionId);

  const ingress: Ingress = {
    callbackUrl: `${origin}/aip/v1/connector-callbacks`,
    eventUrl: `${origin}/aip/v1/connector-events`,
    received,
    answer: () => 200,
    chunks: (actionId) => ofAction(actionId).map((each) => chunkOf(each) as StreamChunk),
    callbackRoutes: (actionId) =>
      ofAction(actionId).map(
        ({ envelope }) => (envelope.security as { connector_callback: ConnectorCallbackRoute }).connector_callback,
      ),
    events: () =>
      taken.flatMap(({ envelope }) =>
        ((envelope.body as { event_stream?: { events: Event[] } }).event_stream?.events ?? []).map((event) => ({
          event,
          route: (envelope.security as { connector_event: ConnectorEventRoute }).connector_event,
        })),
      ),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return ingress;
}
