import type { Manifest } from '../../protocol/types.js';
import type { EnvelopeAnswerDeps } from '../edge/answer-envelope.js';
import { serverManifest } from '../endpoints/manifest/server-manifest.js';
import { resourceSource } from '../endpoints/resources/known.js';
import type { ResourceReadDeps } from '../endpoints/resources/read.js';
import { openChunkSink } from '../ingress/chunks/sink.js';
import { messageHandler } from '../messages.js';
import type { GatewayContext } from './context.js';
import type { GatewayWork } from './work.js';

/** What a gateway says of itself. */
export function manifestOf({ config, principal }: GatewayContext): Manifest {
  const signatures = config.insecureDevelopment || config.allowUnsigned ? 'supported' : 'required';
  return serverManifest(principal, signatures, config.broker?.service);
}

/** What the queries for resources need. */
export function resourcesOf(
  { clock }: GatewayContext,
  { actions, fleet }: GatewayWork,
  manifest: Manifest,
): ResourceReadDeps {
  const resources = resourceSource(manifest.resources ?? [], fleet?.registry);
  const { submit, capabilities } = actions;
  return { resources, submit, capabilities, routes: fleet?.registry.routes, clock };
}

/** How envelopes are answered, whatever transport brings them. */
export function answersOf(
  { config, edge, pool, clock, metrics, principal, signer }: GatewayContext,
  { actions, approvals, delegations }: GatewayWork,
  manifest: Manifest,
  resources: ResourceReadDeps,
): EnvelopeAnswerDeps {
  const { submit, cancel, settle, claim, capabilities } = actions;
  const { stock, principal: gateway } = config;
  const deps = {
    pool,
    clock,
    submit,
    cancel,
    results: { pool, clock, gateway, settle },
    approvals,
    sessions: { pool, clock, gateway, manifest, capabilities, stock },
    delegations,
    claim,
    manifest,
    resources,
    chunks: openChunkSink({ pool, clock }),
    stock,
  };
  return {
    ...edge,
    principal,
    signer,
    handle: messageHandler(deps),
    received: (messageType, key) => {
      metrics.envelopeReceived(messageType);
      if (key === 'action') metrics.count('aip_actions_total');
    },
  };
}
