import {
  decodeEnvelope,
  type Envelope,
  newEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { parseJson } from '#runtime/protocol/json.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { Action, ActionResult, Body, Principal, ProtocolError } from '#runtime/protocol/types.js';

export const TRUST_DOMAIN = 'fleet.test';
export const TENANT = 'tenant-a';

/** Ids under which the host of a test is admitted. */
export interface Coordinates {
  instance_id: string;
  replica_id: string;
  version_id: string;
  manifest_digest: string;
}

/** A decoded answer of a host; `signer` is undefined when it is not signed. */
export interface Answer {
  status: number;
  text: string;
  envelope?: Envelope;
  signer?: string;
  result?: ActionResult;
  error?: ProtocolError;
}

/** Members that a test changes on the way to the host. */
export interface Changes {
  envelope?: Partial<Envelope>;
  route?: Record<string, unknown>;
  /** Signs as somebody else. */
  key?: SigningKey;
  from?: Principal;
  /** Works on the signed envelope: what follows is no longer covered by the signature. */
  afterSigning?: (envelope: Envelope) => unknown;
  headers?: Record<string, string>;
}

/** The central server of a test: it signs real envelopes and posts them to a real host process. */
export interface Central {
  readonly key: SigningKey;
  readonly principal: Principal;
  /** The signed envelope of an action, ready to be posted (again). */
  action(action: Partial<Action> & { capability_id: string }, changes?: Changes): Promise<Envelope>;
  cancel(actionId: string, capabilityId: string, changes?: Changes): Promise<Envelope>;
  body(body: Body, changes?: Changes): Promise<Envelope>;
  post(envelope: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Signs and posts an action. */
  send(action: Partial<Action> & { capability_id: string }, changes?: Changes): Promise<Answer>;
}

export function openCentral(options: {
  url: () => string;
  hostPrincipal: Principal;
  coordinates: () => Coordinates;
  callbackUrl: string;
  key?: SigningKey;
}): Central {
  const key = options.key ?? signingKeyFromSeed(newSeedHex());
  const principal: Principal = { id: 'service:central', kind: 'service', trust_domain: TRUST_DOMAIN, did: key.did };

  const routeOf = (actionId: string, capabilityId: string, mode: string | null): Record<string, unknown> => ({
    action_id: actionId,
    capability_id: capabilityId,
    tenant_id: TENANT,
    ...options.coordinates(),
    catalog_revision: 7,
    binding_policy_revision: 3,
    credential_revision_ref: null,
    quota_policy_ref: null,
    replica_health_revision: 1,
    fence_token: newId('route'),
    original_mode: mode,
  });
  const signed = async (body: Body, route: Record<string, unknown>, changes: Changes): Promise<Envelope> => {
    const security = Object.keys(route).length === 0 ? {} : { connector_route: route };
    const envelope = newEnvelope(
      body,
      {
        correlation_id: newId('correlation'),
        to: { id: options.hostPrincipal.id, kind: options.hostPrincipal.kind },
        security: { ...security, trust_domain: TRUST_DOMAIN },
        ...changes.envelope,
      },
      { clock: Date.now },
    );
    const result = await signEnvelope(envelope, changes.from ?? principal, changes.key ?? key);
    return (changes.afterSigning ? changes.afterSigning(result) : result) as Envelope;
  };
  const withoutUndefined = (value: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

  const central: Central = {
    key,
    principal,
    action: async (given, changes = {}) => {
      const action: Action = { id: newId('action'), input: {}, identity: { tenant: { id: TENANT } }, ...given };
      const route = withoutUndefined({
        ...routeOf(action.id, action.capability_id, action.mode ?? null),
        ...changes.route,
      });
      if (action.mode === 'streaming' && !('callback' in given)) {
        action.callback = {
          profile: 'aip.native.http.v1',
          target: options.callbackUrl,
          metadata: { connector_callback: route, connector_callback_recipient: principal },
        };
      }
      return signed({ action: withoutUndefined({ ...action }) as unknown as Action }, route, changes);
    },
    cancel: (actionId, capabilityId, changes = {}) =>
      signed(
        { cancel: { target: { action: actionId }, reason: 'not needed' } },
        withoutUndefined({ ...routeOf(actionId, capabilityId, null), ...changes.route }),
        changes,
      ),
    body: (body, changes = {}) => signed(body, routeOf(newId('action'), 'cap:demo:echo', null), changes),
    post: async (envelope, headers = {}) => {
      const response = await fetch(`${options.url()}/aip/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof envelope === 'string' ? envelope : JSON.stringify(envelope),
      });
      return answerOf(response.status, await response.text());
    },
    send: async (action, changes = {}) => central.post(await central.action(action, changes), changes.headers),
  };
  return central;
}

async function answerOf(status: number, text: string): Promise<Answer> {
  const value = text.startsWith('{') ? (parseJson(text) as Record<string, unknown>) : {};
  if (!('aip_version' in value)) {
    return { status, text, ...('error' in value && { error: value.error as ProtocolError }) };
  }
  const envelope = decodeEnvelope(value);
  const body = envelope.body as { action_result?: ActionResult; error?: { error: ProtocolError } };
  return {
    status,
    text,
    envelope,
    signer: await verifyEnvelope(envelope),
    ...(body.action_result && { result: body.action_result }),
    ...(body.error && { error: body.error.error }),
  };
}
