import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import {
  decodeEnvelope,
  type Envelope,
  newEnvelope,
  replyEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Body, DelegationRequest, DelegationResult, Principal } from '#runtime/protocol/types.js';
import { freshDatabase } from '../../../support/database.ts';
import { type Answer, type HttpGateway, principalEntry, startHttpGateway, TOKEN } from './gateway.ts';

export const EDGE = { id: 'service:edge', kind: 'service' as const };
/** A principal of another tenant, whose token is its tenant's name. */
export const RIVAL = { id: 'human:globex', kind: 'human' as const };
export const LIBRARIAN: Principal = { id: 'agent:librarian', kind: 'agent', trust_domain: 'library' };

/** A message as it came to the delegate. */
export interface Arrived {
  readonly envelope: Envelope;
  readonly headers: IncomingHttpHeaders;
  readonly did: string;
}

/** A gateway with a delegate of another operator, which runs what it is sent. */
export interface DelegationFleet {
  readonly gateway: HttpGateway;
  readonly pool: Pool;
  /** The delegate's key, and the DID that the gateway signs with. */
  readonly key: SigningKey;
  readonly gatewayDid: string;
  readonly arrived: Arrived[];
  /** What the delegate does with a request; null closes the connection without an answer. */
  answer: (request: DelegationRequest) => Body | null;
  /** Starts a further gateway on the same database, with the same key and routes. */
  another(): Promise<HttpGateway>;
  send(body: Body, at?: HttpGateway, token?: string): Promise<Answer>;
  request(each: DelegationRequest, at?: HttpGateway, token?: string): Promise<Answer>;
  /** What the delegate itself, or somebody else, sends to the gateway, signed. */
  report(body: Body, as?: { readonly key?: SigningKey; readonly principal?: Principal }): Promise<Answer>;
  /** The events of a delegation, in order. */
  eventsOf(delegationId: string): Promise<{ kind: string; data: Record<string, unknown> }[]>;
  stop(): Promise<void>;
}

/** Starts a gateway that delegates to LIBRARIAN over HTTP; `more` are further signers that it trusts. */
export async function startDelegationFleet(more: readonly object[] = []): Promise<DelegationFleet> {
  const arrived: Arrived[] = [];
  const key = signingKeyFromSeed(newSeedHex());
  const delegate = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', async () => {
      const envelope = decodeEnvelope(JSON.parse(text));
      arrived.push({ envelope, headers: request.headers, did: await verifyEnvelope(envelope) });
      const body = fleet.answer((envelope.body as { delegation_request: DelegationRequest }).delegation_request);
      if (!body) return response.destroy();
      const reply = replyEnvelope(envelope, body, { clock: Date.now, from: LIBRARIAN });
      return response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(await signEnvelope(reply, LIBRARIAN, key)));
    });
  });
  const folder = await mkdtemp(join(tmpdir(), 'aip-delegations-'));
  const seed = newSeedHex();
  await writeFile(join(folder, 'seed'), seed, { mode: 0o600 });
  await new Promise<void>((done) => delegate.listen(0, '127.0.0.1', done));
  const { port } = delegate.address() as AddressInfo;
  const database = await freshDatabase();
  const pool = openPool({ url: database.url, max: 2 });
  const another = (): Promise<HttpGateway> =>
    startHttpGateway({
      databaseUrl: database.url,
      principals: [principalEntry('globex', { tenant_id: 'globex', scopes: ['*'] })],
      signers: [{ signer_did: key.did, principal_id: LIBRARIAN.id, scopes: [], tenant_id: 'library' }, ...more],
      env: {
        AIP_GATEWAY_CONNECTOR_REGISTRY_URL: database.url,
        AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
        AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
        AIP_GATEWAY_DELEGATION_HTTP_ROUTES: `${LIBRARIAN.id}=http://127.0.0.1:${port}/aip/v1/messages,${LIBRARIAN.id},${key.did},library`,
        AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
        AIP_GATEWAY_CALLBACK_ALLOW_HTTP: 'true',
        AIP_GATEWAY_CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
        AIP_GATEWAY_DELEGATION_ALLOW_HTTP: 'true',
        AIP_GATEWAY_DELEGATION_ALLOW_PRIVATE_NETWORKS: 'true',
      },
    });
  const gateway = await another();
  const send: DelegationFleet['send'] = (body, at = gateway, token = TOKEN) =>
    at.call('POST', '/aip/v1/messages', { token, body: newEnvelope(body, {}, { clock: Date.now }) });
  const fleet: DelegationFleet = {
    gateway,
    pool,
    key,
    gatewayDid: signingKeyFromSeed(seed).did,
    arrived,
    answer: completed,
    another,
    send,
    request: (each, at, token) => send({ delegation_request: each }, at, token),
    report: async (body, as = {}) => {
      const envelope = newEnvelope(body, {}, { clock: Date.now });
      const signed = await signEnvelope(envelope, as.principal ?? LIBRARIAN, as.key ?? key);
      return gateway.call('POST', '/aip/v1/messages', { body: signed });
    },
    eventsOf: async (delegationId) => {
      const { rows } = await pool.query<{ record: { kind: string; data: Record<string, unknown> } }>(
        `SELECT record FROM runtime.events WHERE record->'data'->>'delegation_id' = $1 ORDER BY xid, seq`,
        [delegationId],
      );
      return rows.map(({ record }) => record);
    },
    stop: async () => {
      await gateway.stop();
      await pool.close();
      delegate.closeAllConnections();
      delegate.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return fleet;
}

/** A delegation to LIBRARIAN, with changes. */
export function delegation(over: Partial<DelegationRequest> = {}): DelegationRequest {
  return {
    delegation_id: newId('delegation'),
    parent_action_id: newId('action'),
    child_action: { id: newId('action'), capability_id: 'cap:kb:search', input: { q: 'returns' } },
    requested_by: EDGE,
    delegate: { id: LIBRARIAN.id, kind: 'agent' },
    scope: 'kb:read',
    ...over,
  };
}

/** What a delegate says of a delegation in a status. */
export function reported(
  { delegation_id, parent_action_id, child_action }: DelegationRequest,
  status: DelegationResult['status'],
  more: Partial<DelegationResult> = {},
): Body {
  const child_action_id = child_action.id;
  return { delegation_result: { delegation_id, parent_action_id, child_action_id, status, ...more } };
}

/** The delegate has done the work. */
export function completed(request: DelegationRequest): Body {
  const { id: action_id } = request.child_action;
  return reported(request, 'completed', { result: { action_id, status: 'completed', output: { hits: 2 } } });
}

/** The delegate works on it. */
export const running = (request: DelegationRequest): Body => reported(request, 'running');

/** The result in the answer to a delegation or a report. */
export const resultOf = (each: Answer): DelegationResult => each.body.body.delegation_result;
