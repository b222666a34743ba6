import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeEnvelope,
  type Envelope,
  replyEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import type { SigningKey } from '#runtime/protocol/signing.js';
import type {
  ConnectorCallbackRoute,
  ConnectorEventRoute,
  Event,
  Principal,
  StreamChunk,
} from '#runtime/protocol/types.js';
import { TRUST_DOMAIN } from './central.ts';

/** The direct error object with which a gateway refuses. */
export const REFUSED = JSON.stringify({ error: { code: 'auth.not_authorized', message: 'refused', category: 'auth' } });

/** One envelope that a host published, verified. */
export interface Published {
  path: string;
  envelope: Envelope;
  did: string;
  text: string;
}

/** How an ingress answers: 200 as it should, signed; another status with an error; not at all; or with this text. */
export type IngressReply =
  | number
  | 'hang up'
  | 'silence'
  | { status: number; text: string; headers?: Record<string, string> };

/** The central ingress as far as a host sees it: it verifies signatures and answers as a test wants. */
export interface Ingress {
  readonly callbackUrl: string;
  readonly eventUrl: string;
  readonly received: Published[];
  /** Default 200. Silence leaves the connection open. */
  answer: (published: Published) => IngressReply | Promise<IngressReply>;
  /** The text of the answer that it should give, with members replaced before it is signed. */
  honest(published: Published, over?: Partial<Envelope>, signer?: SigningKey): Promise<string>;
  chunks(actionId: string): StreamChunk[];
  callbackRoutes(actionId: string): ConnectorCallbackRoute[];
  /** Events that were answered with 200, in order, with their routes. */
  events(): { event: Event; route: ConnectorEventRoute }[];
  close(): Promise<void>;
}

export async function startIngress(key: SigningKey): Promise<Ingress> {
  const received: Published[] = [];
  const taken: Published[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const envelope = decodeEnvelope(parseJson(text));
    const published = { path: request.url ?? '', envelope, did: await verifyEnvelope(envelope), text };
    received.push(published);
    const reply = await ingress.answer(published);
    if (reply === 'silence') return;
    if (reply === 'hang up') {
      request.socket.destroy();
      return;
    }
    if (reply === 200) taken.push(published);
    const given = typeof reply === 'number' ? { status: reply, text: REFUSED } : reply;
    const answer = reply === 200 ? await ingress.honest(published) : given.text;
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers }).end(answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chunkOf = ({ envelope }: Published): StreamChunk | undefined =>
    (envelope.body as { stream_chunk?: StreamChunk }).stream_chunk;
  const ofAction = (actionId: string) => taken.filter((each) => chunkOf(each)?.action_id === actionId);

  const principal: Principal = { id: 'service:central', kind: 'service', trust_domain: TRUST_DOMAIN };
  const ingress: Ingress = {
    callbackUrl: `${origin}/aip/v1/connector-callbacks`,
    eventUrl: `${origin}/aip/v1/connector-events`,
    received,
    answer: () => 200,
    honest: async ({ envelope }, over = {}, signer = key) => {
      const { event_stream: stream } = envelope.body as { event_stream?: { events: Event[] } };
      const body = { event_stream: { events: stream?.events ?? [] } };
      const reply = { ...replyEnvelope(envelope, body, { clock: Date.now, from: principal }), ...over };
      return JSON.stringify(await signEnvelope(reply, principal, signer));
    },
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
