import { resolve } from 'node:path';
import { type Dev, type DevOptions, startDev } from '../dev.ts';
import type { Provider } from '../provider.ts';

/** Resource documents of one payments instance that pays at the provider. */
export function paymentsDocuments(provider: Provider, replicas: number): string {
  const instance = {
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: {
      name: 'payments',
      annotations: { 'fleet.aip.dev/module': resolve(import.meta.dirname, 'payments-connector.ts') },
    },
    spec: {
      connector: { type: 'payments', version: '1.0.0' },
      tenantId: 'demo',
      replicas,
      config: { provider_url: provider.url },
    },
  };
  return JSON.stringify(instance);
}

/** Starts a fleet whose only connector pays at the provider. */
export function startPaymentsFleet(provider: Provider, replicas: number, options: DevOptions = {}): Promise<Dev> {
  return startDev({ documents: paymentsDocuments(provider, replicas), ...options });
}
