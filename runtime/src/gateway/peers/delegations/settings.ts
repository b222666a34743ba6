import { publicKeyOfDid } from '../../../protocol/identity/did.js';
import { MAX_TIMER_MS } from '../../../protocol/limits.js';
import type { PrincipalKind } from '../../../protocol/types.js';
import type { Env } from '../../../transport/settings/env.js';
import { type FileSetting, fixedSetting } from '../../../transport/settings/live-setting.js';
import { trustedRootsOf } from '../../../transport/settings/tls.js';
import { principalOfId } from '../../edge/principal-kind.js';
import { isBrokerUrl } from '../../endpoints/broker/settings.js';

/** A delegate that is reached over signed HTTP. */
export interface DelegateRoute {
  readonly url: string;
  readonly principal: { readonly id: string; readonly kind: PrincipalKind };
  readonly did: string;
  readonly trustDomain?: string | undefined;
}

/** A peer that is reached over the message broker. */
export interface BrokerRoute {
  readonly server: string;
  /** Where its requests are published. */
  readonly subject: string;
  readonly principal: { readonly id: string; readonly kind: PrincipalKind };
  readonly did: string;
  /** Milliseconds of one request; default: that of every request over the broker. */
  readonly timeoutMs?: number | undefined;
  readonly trustDomain?: string | undefined;
}

/** Where delegations may go. */
export interface DelegationSettings {
  /** By the id of the delegate. */
  readonly routes: ReadonlyMap<string, DelegateRoute>;
  /** By the capability of the child action, for delegates that have no route of their own. */
  readonly brokerRoutes: ReadonlyMap<string, BrokerRoute>;
  /** This gateway's /aip/v1/messages as delegates reach it; they then get delegations in its name. */
  readonly reportUrl?: string | undefined;
  readonly allowHttp: boolean;
  readonly allowPrivateNetworks: boolean;
  readonly tlsCa: FileSetting<string | undefined>;
}

const ROUTES = 'DELEGATION_HTTP_ROUTES';
const BROKER_ROUTES = 'DELEGATION_NATS_ROUTES';
const BROKER_FORM = 'CAPABILITY=URL,SUBJECT,PEER_ID,PEER_DID[,TIMEOUT_MS[,TRUST_DOMAIN]]';

/**
 * Reads DELEGATION_*: each HTTP route is DELEGATE=URL,PEER_ID,PEER_DID[,TRUST_DOMAIN], each broker route
 * CAPABILITY=URL,SUBJECT,PEER_ID,PEER_DID[,TIMEOUT_MS[,TRUST_DOMAIN]]; several are separated by semicolons or lines. Routes need a key that
 * signs (`signs`). Throws StartupRefused.
 */
export function readDelegationSettings(env: Env, signs: boolean): DelegationSettings {
  const routes = new Map<string, DelegateRoute>();
  const allowHttp = env.bool('DELEGATION_ALLOW_HTTP');
  for (const { name: delegate, parts } of entriesOf(env, ROUTES)) {
    const [url = '', peerId = '', did = '', trustDomain, ...rest] = parts;
    if (delegate === '' || rest.length > 0 || peerId === '' || !isUrl(url, allowHttp) || !isDid(did))
      throw env.refuse(
        ROUTES,
        `has an invalid entry for ${delegate || 'no delegate'} (expected DELEGATE=URL,PEER_ID,PEER_DID[,TRUST_DOMAIN])`,
      );
    if (routes.has(delegate)) throw env.refuse(ROUTES, `names the delegate ${delegate} twice`);
    routes.set(delegate, { url, principal: principalOfId(peerId), did, trustDomain });
  }
  const brokerRoutes = brokerRoutesOf(env, allowHttp);
  for (const [name, { size }] of [[ROUTES, routes] as const, [BROKER_ROUTES, brokerRoutes] as const])
    if (size > 0 && !signs) throw env.refuse(name, 'needs a signing key: set CONNECTOR_FLEET_SIGNING_SEED_FILE');
  return {
    routes,
    brokerRoutes,
    reportUrl: env.url('DELEGATION_REPORT_URL', { path: '/aip/v1/messages', schemes: ['http', 'https'] })?.href,
    allowHttp,
    allowPrivateNetworks: env.bool('DELEGATION_ALLOW_PRIVATE_NETWORKS'),
    tlsCa: env.given('DELEGATION_TLS_CA_FILE')
      ? trustedRootsOf(env, 'DELEGATION_TLS_CA_FILE')
      : fixedSetting(undefined),
  };
}

/** The entries NAME=PART,PART of a variable; an entry without `=` has no name. */
function entriesOf(env: Env, variable: string): { name: string; parts: string[] }[] {
  const entries = (env.text(variable) ?? '').split(/[;\n]/).map((each) => each.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const at = Math.max(0, entry.indexOf('='));
      return {
        name: entry.slice(0, at).trim(),
        parts: entry
          .slice(at + 1)
          .split(',')
          .map((part) => part.trim()),
      };
    });
}

function brokerRoutesOf(env: Env, allowPlain: boolean): Map<string, BrokerRoute> {
  const routes = new Map<string, BrokerRoute>();
  for (const { name: capability, parts } of entriesOf(env, BROKER_ROUTES)) {
    const [server = '', subject = '', peerId = '', did = '', timeout = '', trustDomain, ...rest] = parts;
    const plain = server.startsWith('nats:');
    const timeoutMs = timeout === '' ? undefined : Number(timeout);
    const timed =
      timeoutMs === undefined || (/^\d{1,10}$/.test(timeout) && timeoutMs >= 1 && timeoutMs <= MAX_TIMER_MS);
    const well = capability !== '' && peerId !== '' && rest.length === 0 && timed && isSubject(subject) && isDid(did);
    if (!well || !isBrokerUrl(server))
      throw env.refuse(
        BROKER_ROUTES,
        `has an invalid entry for ${capability || 'no capability'} (expected ${BROKER_FORM})`,
      );
    if (plain && !allowPlain)
      throw env.refuse(BROKER_ROUTES, `uses nats:// for ${capability}: use tls://, or set DELEGATION_ALLOW_HTTP=true`);
    if (routes.has(capability)) throw env.refuse(BROKER_ROUTES, `names the capability ${capability} twice`);
    routes.set(capability, { server, subject, principal: principalOfId(peerId), did, timeoutMs, trustDomain });
  }
  return routes;
}

/** A subject without wildcards and blanks. */
function isSubject(text: string): boolean {
  return text.length <= 1024 && text.split('.').every((token) => /^[^*>\s\p{Cc}]+$/u.test(token));
}

function isUrl(text: string, allowHttp: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:')) return false;
  return username === '' && password === '' && search === '' && hash === '';
}

function isDid(text: string): boolean {
  try {
    publicKeyOfDid(text);
    return true;
  } catch {
    return false;
  }
}
