import { bundleData, type TrustBundle } from '../bundle.js';
import type { Certificate } from '../certificates/certificate.js';
import type { KeyRole } from '../names.js';
import { authoritiesOf } from './authority.js';
import type { PublishedBundle, TrustInputs } from './inputs.js';
import { didsOf } from './key.js';
import type { TrustDecision, TrustStep } from './step.js';

/** Brings `aip-trust` in every namespace to what is trusted now. Nothing is published before every part is known. */
export function decidePublication(inputs: TrustInputs): TrustDecision {
  const bundle = trustedNow(inputs);
  if (bundle === undefined) return { steps: [], observations: [] };
  const data = bundleData(bundle);
  const steps = inputs.published.flatMap((published): TrustStep[] => {
    const change = changeOf(published, data);
    if (change === undefined) return [];
    const { namespace } = published;
    return [{ do: 'publish', namespace, bundle, object: inputs.names.trust, ...change }];
  });
  return { steps, observations: [] };
}

/** What everybody has to trust. A part whose Secret cannot be read stays as it was published last. */
function trustedNow(inputs: TrustInputs): TrustBundle | undefined {
  const authorities = authoritiesNow(inputs);
  const controlPlane = didsNow('control-plane', inputs);
  const gateway = didsNow('gateway', inputs);
  if ([authorities, controlPlane, gateway].some((part) => part.length === 0)) return undefined;
  return { authorities, dids: { 'control-plane': controlPlane, gateway } };
}

function authoritiesNow({ ca, foreignAuthorities, published }: TrustInputs): readonly Certificate[] {
  if (ca.state === 'read') return authoritiesOf(ca.value, foreignAuthorities);
  return published[0].bundle.authorities;
}

function didsNow(role: KeyRole, { keys, published }: TrustInputs): readonly string[] {
  const stored = keys[role];
  return stored.state === 'read' ? didsOf(stored.value) : published[0].bundle.dids[role];
}

function changeOf(
  published: PublishedBundle,
  wanted: Readonly<Record<string, string>>,
): { reason: string; message: string } | undefined {
  const { namespace, data, managed } = published;
  if (data === undefined) return { reason: 'BundleMissing', message: `namespace ${namespace} gets the trust bundle` };
  const same = Object.entries(wanted).every(([key, text]) => data[key] === text);
  if (same && managed) return undefined;
  return { reason: 'BundleChanged', message: `Updating the trust bundle of namespace ${namespace}` };
}
