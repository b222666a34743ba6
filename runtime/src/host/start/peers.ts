import { MAX_LIFECYCLE_BYTES } from '../../protocol/limits.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import { centralEndpoint } from '../central/central-endpoint.js';
import type { CentralServer } from '../central/deliver.js';
import { type EndpointClient, openEndpointClient } from '../central/endpoint-client.js';
import type { HostContext } from './context.js';

/** Whom a host talks to, and the identities that it trusts them by. */
export interface Peers {
  readonly control: EndpointClient;
  readonly controlDids: () => readonly string[];
  readonly central: CentralServer;
  /** Where chunks go; absent when the host has no such endpoint. */
  readonly callback: EndpointClient | undefined;
  /** Where events go; absent when the host has no such endpoint. */
  readonly events: EndpointClient | undefined;
  close(): Promise<void>;
}

/** Opens the endpoints of control plane and gateway; their DIDs and certificates follow their files. Throws DestinationRefused. */
export async function openPeers({ config, log }: HostContext): Promise<Peers> {
  const tlsCa = followSetting(config.tlsCa, { what: 'trusted certificates', log });
  const controlDids = followSetting(config.controlDids, { what: 'control plane DIDs', log });
  const gatewayDids = followSetting(config.gatewayDids, { what: 'gateway DIDs', log });
  const control = openEndpointClient({
    url: config.controlEndpoint,
    allowHttp: true,
    allowPrivate: true,
    timeoutMs: config.controlTimeoutMs,
    maxResponseBytes: MAX_LIFECYCLE_BYTES,
    tlsCa: tlsCa.current,
  });
  const callback = await centralEndpoint(config.callback, tlsCa.current, log);
  const events = await centralEndpoint(config.events, tlsCa.current, log);
  return {
    control,
    controlDids: controlDids.current,
    central: { principal: config.gateway, dids: gatewayDids.current },
    callback,
    events,
    close: async () => {
      await Promise.all([control, callback, events].map((endpoint) => endpoint?.close()));
    },
  };
}
