import type { ContractOverrides } from '../sdk/contract.js';

/** What the demo's capabilities have in common: data that anybody may see, and no provider to wait for. */
export const DEMO = {
  data: { sensitivity: 'public' },
  sla: { expected_latency_ms: 50 },
} as const satisfies ContractOverrides;
