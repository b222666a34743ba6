import type { Connector } from './sdk/connector.js';

/** Built-in connectors by type; each is loaded only when it is needed. */
const BUILTIN: Record<string, () => Promise<Connector>> = {
  chatwoot: async () => (await import('./chatwoot/chatwoot.js')).chatwoot as Connector,
  demo: async () => (await import('./demo/demo.js')).demo as Connector,
  openapi: async () => (await import('./openapi/openapi.js')).openapi as Connector,
  twenty: async () => (await import('./twenty/twenty.js')).twenty as Connector,
};

/** Types that need no module path. */
export const builtinTypes = Object.keys(BUILTIN);

/** The built-in connector of this type; undefined for any other. */
export async function builtinConnector(type: string): Promise<Connector | undefined> {
  return Object.hasOwn(BUILTIN, type) ? BUILTIN[type]?.() : undefined;
}
