import { access } from 'node:fs/promises';
import { defineConnector, type Operation } from '../sdk/connector.js';
import { OperationUnsupported } from '../sdk/failure.js';
import { type DemoConfig, demoConfigSchema } from './config.js';
import { countCapability, countSilently, countStream } from './count.js';
import { DEMO_CHANNEL, echo, echoCapability } from './echo.js';
import { flaky, flakyCapability } from './flaky.js';
import { isRefund, reconcileRefund, refund, refundCapability } from './refund.js';
import { report, reportCapability } from './report.js';

const CALLS: Record<string, Operation<DemoConfig>> = {
  [echoCapability.id]: echo,
  [countCapability.id]: countSilently,
  [reportCapability.id]: report,
  [refundCapability.id]: refund,
  [flakyCapability.id]: flaky,
};

/** A connector without a provider: one capability for each way an action can go. */
export const demo = defineConnector<DemoConfig>({
  type: 'demo',
  configSchema: demoConfigSchema,
  manifest: ({ name = 'local' }) => ({
    manifest_version: 'aip-manifest/v1',
    agent: { id: `agent:demo:${name}`, kind: 'agent', display_name: 'Demo connector' },
    capabilities: [echoCapability, countCapability, reportCapability, refundCapability, flakyCapability],
    profiles: ['aip.native.http.v1'],
    channels: [DEMO_CHANNEL],
  }),
  health: async ({ config }) => {
    const broken = config.unhealthy_file !== undefined && (await exists(config.unhealthy_file));
    return broken
      ? { ready: false, detail: 'the provider is switched off by its drill file' }
      : { ready: true, detail: 'the demo needs no provider' };
  },
  invoke: async (action, context) => {
    const call = CALLS[action.capability_id];
    if (!call) throw new OperationUnsupported('invocation');
    return call(action, context);
  },
  stream: async (action, context) =>
    action.capability_id === countCapability.id
      ? countStream(action, context)
      : (CALLS[action.capability_id] as Operation<DemoConfig>)(action, context),
  reconcile: async (input, context) => {
    if (!isRefund(input.action)) throw new OperationUnsupported('reconciliation');
    return reconcileRefund(input, context);
  },
});

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
