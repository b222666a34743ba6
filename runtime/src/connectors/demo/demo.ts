import { access } from 'node:fs/promises';
import { defineConnector } from '../sdk/connector.js';
import { type DemoConfig, demoConfigSchema } from './config.js';
import { count } from './count.js';
import { DEMO_CHANNEL, echo } from './echo.js';
import { flaky } from './flaky.js';
import { refund } from './refund.js';
import { report } from './report.js';
import { transfer } from './transfer.js';

/** A connector without a provider: one capability for each way an action can go. */
export const demo = defineConnector<DemoConfig>({
  type: 'demo',
  configSchema: demoConfigSchema,
  agent: ({ name = 'local' }) => ({ id: `agent:demo:${name}`, kind: 'agent', display_name: 'Demo connector' }),
  capabilities: [echo, count, report, refund, flaky, transfer],
  manifest: () => ({ channels: [DEMO_CHANNEL] }),
  health: async ({ config }) => {
    const broken = config.unhealthy_file !== undefined && (await exists(config.unhealthy_file));
    return broken
      ? { ready: false, detail: 'the provider is switched off by its drill file' }
      : { ready: true, detail: 'the demo needs no provider' };
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
