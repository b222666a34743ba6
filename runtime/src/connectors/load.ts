import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AipError } from '../protocol/errors.js';
import { builtinConnector, builtinTypes } from './builtin.js';
import { findSdk } from './find-sdk.js';
import type { Connector } from './sdk/connector.js';

/** Which connector: the type of a built-in one, or the path of a module that exports one as `default` or `connector`. */
export interface ConnectorSource {
  type?: string;
  module?: string;
}

/** Loads a connector. Fails with `connector.unknown`, which says what to do. */
export async function loadConnector({ type, module }: ConnectorSource): Promise<Connector> {
  if (module !== undefined) return moduleConnector(module);
  if (type === undefined) throw connectorUnknown('name a built-in connector or the path of a connector module');
  const connector = await builtinConnector(type);
  if (connector) return connector;
  throw connectorUnknown(`no built-in connector ${type} (built in: ${builtinTypes.join(', ')})`);
}

async function moduleConnector(path: string): Promise<Connector> {
  let loaded: { default?: unknown; connector?: unknown };
  findSdk();
  try {
    loaded = await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw connectorUnknown(`the connector module ${path} cannot be loaded`, cause);
  }
  const connector = loaded.default ?? loaded.connector;
  if (isConnector(connector)) return connector;
  throw connectorUnknown(`the connector module ${path} exports no connector; export defineConnector({...}) as default`);
}

/** The connector that a host or `describe` was asked to use does not exist or is none. */
function connectorUnknown(message: string, cause?: unknown): AipError {
  return new AipError('connector.unknown', message, { cause });
}

function isConnector(value: unknown): value is Connector {
  const candidate = value as Partial<Connector> | null | undefined;
  return (
    typeof candidate === 'object' &&
    candidate !== null &&
    typeof candidate.type === 'string' &&
    typeof candidate.configSchema === 'object' &&
    typeof candidate.manifest === 'function' &&
    typeof candidate.capabilities === 'function'
  );
}
