import { NATIVE_HTTP_PROFILE } from '../../../protocol/wire/native-http.js';
import type { SignerSource } from '../../../transport/http/error-response.js';
import { openPeerClient, type PeerClient } from '../../../transport/peer/client.js';
import { destinationPolicy } from '../../../transport/peer/destination.js';
import { followSetting } from '../../../transport/settings/live-setting.js';
import type { BrokerConfig } from '../../endpoints/broker/settings.js';
import type { BrokerPeer } from './broker-peer.js';
import type { DelegateLink } from './deliver.js';
import { type DelegationDeps, type Delegations, openDelegations } from './open.js';
import type { DelegationSettings } from './settings.js';

/** What connecting needs beside the delegations themselves. */
type ConnectOptions = Omit<DelegationDeps, 'linkTo'> & {
  readonly settings: DelegationSettings;
  readonly signer: SignerSource | undefined;
  /** The broker of this gateway, whose login also serves routes to the same server. */
  readonly broker: BrokerConfig | undefined;
};

/** Opens the delegations with signed clients to the configured delegates, and to no other destination. */
export function connectDelegations(options: ConnectOptions): Delegations {
  const { settings, signer, log } = options;
  if (!signer || settings.routes.size + settings.brokerRoutes.size === 0)
    return openDelegations({ ...options, linkTo: undefined });
  const tlsCa = followSetting(settings.tlsCa, { what: 'trusted certificates of delegates', log });
  const http = httpPeer(options, signer, tlsCa.current);
  const { reportUrl: target } = settings;
  const forward =
    target === undefined ? undefined : { gateway: options.gateway, callback: { profile: NATIVE_HTTP_PROFILE, target } };
  let broker: Promise<BrokerPeer> | undefined;
  const linkTo: DelegationDeps['linkTo'] = ({ delegate, child_action: child }) => {
    const route = settings.routes.get(delegate.id);
    if (route) return { principal: route.principal, forward, send: (envelope) => http.send(envelope, route) };
    const brokered = settings.brokerRoutes.get(child.capability_id);
    if (!brokered) return undefined;
    const send: DelegateLink['send'] = async (envelope) => {
      broker ??= brokerPeer(options, signer, tlsCa.current);
      return (await broker).send(envelope, brokered);
    };
    return { principal: brokered.principal, forward, send };
  };
  const delegations = openDelegations({ ...options, linkTo });
  return {
    ...delegations,
    stop: async () => {
      await delegations.stop();
      await Promise.all([http.close(), broker?.then((peer) => peer.close())]);
      tlsCa.close();
    },
  };
}

function httpPeer(
  { settings, clock }: ConnectOptions,
  signer: SignerSource,
  tlsCa: () => string | undefined,
): Pick<PeerClient, 'send' | 'close'> {
  const { allowHttp, allowPrivateNetworks: allowPrivate } = settings;
  const { principal } = signer();
  const hosts = [...settings.routes.values()].map(({ url }) => new URL(url).hostname);
  return openPeerClient({
    key: () => signer().key,
    principal,
    trustDomain: principal.trust_domain as string,
    policy: destinationPolicy({ hosts, allowHttp, allowPrivate }),
    tlsCa,
    clock,
  });
}

/** The client of the broker is loaded with the first delegation that needs it. */
async function brokerPeer(
  { settings, broker, clock, log }: ConnectOptions,
  signer: SignerSource,
  tlsCa: () => string | undefined,
): Promise<BrokerPeer> {
  const { openBrokerPeer } = await import('./broker-peer.js');
  return openBrokerPeer({
    signer,
    allowPrivate: settings.allowPrivateNetworks,
    credentialsOf: (server) =>
      broker?.servers.includes(server) ? { username: broker.username, password: broker.password } : undefined,
    tlsCa,
    timeoutMs: broker?.requestTimeoutMs,
    name: signer().principal.id,
    clock,
    log,
  });
}
