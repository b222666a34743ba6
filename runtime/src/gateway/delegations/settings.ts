import { publicKeyOfDid } from '../../protocol/identity/did.js';
import type { PrincipalKind } from '../../protocol/types.js';
import type { Env } from '../../transport/settings/env.js';
import { type FileSetting, fixedSetting } from '../../transport/settings/live-setting.js';
import { trustedRootsOf } from '../../transport/settings/tls.js';
import { principalOfId } from '../edge/principal-kind.js';

/** A delegate that is reached over signed HTTP. */
export interface DelegateRoute {
  readonly url: string;
  readonly principal: { readonly id: string; readonly kind: PrincipalKind };
  readonly did: string;
  readonly trustDomain?: string | undefined;
}

/** Where delegations may go. */
export interface DelegationSettings {
  /** By the id of the delegate. */
  readonly routes: ReadonlyMap<string, DelegateRoute>;
  readonly allowHttp: boolean;
  readonly allowPrivateNetworks: boolean;
  readonly tlsCa: FileSetting<string | undefined>;
}

const ROUTES = 'DELEGATION_HTTP_ROUTES';

/**
 * Reads DELEGATION_*: each route is DELEGATE=URL,PEER_ID,PEER_DID[,TRUST_DOMAIN], several are separated by semicolons.
 * Routes need a key that signs (`signs`). Throws StartupRefused.
 */
export function readDelegationSettings(env: Env, signs: boolean): DelegationSettings {
  const routes = new Map<string, DelegateRoute>();
  const allowHttp = env.bool('DELEGATION_ALLOW_HTTP');
  for (const entry of (env.text(ROUTES) ?? '').split(/[;\n]/).map((each) => each.trim())) {
    if (entry === '') continue;
    const at = entry.indexOf('=');
    const delegate = entry.slice(0, at).trim();
    const [url = '', peerId = '', did = '', trustDomain, ...rest] = entry.slice(at + 1).split(',');
    if (at < 1 || rest.length > 0 || peerId === '' || !isUrl(url, allowHttp) || !isDid(did))
      throw env.refuse(
        ROUTES,
        `has an invalid entry for ${delegate || 'no delegate'} (expected DELEGATE=URL,PEER_ID,PEER_DID[,TRUST_DOMAIN])`,
      );
    if (routes.has(delegate)) throw env.refuse(ROUTES, `names the delegate ${delegate} twice`);
    routes.set(delegate, { url, principal: principalOfId(peerId), did, trustDomain });
  }
  if (routes.size > 0 && !signs) throw env.refuse(ROUTES, 'needs a signing key: set CONNECTOR_FLEET_SIGNING_SEED_FILE');
  return {
    routes,
    allowHttp,
    allowPrivateNetworks: env.bool('DELEGATION_ALLOW_PRIVATE_NETWORKS'),
    tlsCa: env.given('DELEGATION_TLS_CA_FILE')
      ? trustedRootsOf(env, 'DELEGATION_TLS_CA_FILE')
      : fixedSetting(undefined),
  };
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
