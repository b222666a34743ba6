import type { SignerSource } from '../../transport/http/error-response.js';
import { openPeerClient } from '../../transport/peer/client.js';
import { destinationPolicy } from '../../transport/peer/destination.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import { type DelegationDeps, type Delegations, openDelegations } from './open.js';
import type { DelegationSettings } from './settings.js';

/** Opens the delegations with the signed client to the configured delegates, and to no other destination. */
export function connectDelegations(
  options: Omit<DelegationDeps, 'peer' | 'settings'> & {
    settings: DelegationSettings;
    signer: SignerSource | undefined;
  },
): Delegations {
  const { settings, signer, clock, log } = options;
  const { routes, allowHttp, allowPrivateNetworks: allowPrivate } = settings;
  if (!signer || routes.size === 0) return openDelegations({ ...options, peer: undefined });
  const tlsCa = followSetting(settings.tlsCa, { what: 'trusted certificates of delegates', log });
  const { principal } = signer();
  const hosts = [...routes.values()].map(({ url }) => new URL(url).hostname);
  const peer = openPeerClient({
    key: () => signer().key,
    principal,
    trustDomain: principal.trust_domain as string,
    policy: destinationPolicy({ hosts, allowHttp, allowPrivate }),
    tlsCa: tlsCa.current,
    clock,
  });
  const delegations = openDelegations({ ...options, peer });
  return {
    ...delegations,
    stop: async () => {
      await delegations.stop();
      await peer.close();
      tlsCa.close();
    },
  };
}
