import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';

/**
 * Where the API server and the credentials come from: a kubeconfig file, or the service account that a Pod has. Without either, as kubectl
 * does: `KUBECONFIG`, then `~/.kube/config`, then the service account.
 */
export type KubeSource =
  | { readonly kubeconfig?: string | undefined; readonly context?: string | undefined }
  | { readonly inCluster: true /** Put before the service account's paths. */; readonly root?: string | undefined };

/** The configuration names no usable API server or user. */
export class KubeConfigInvalid extends Error {
  override readonly name = 'KubeConfigInvalid';
}

/** What a request needs: where to, how TLS is set up, and which headers say who asks. */
export interface Credentials {
  /** Scheme, host and port; with `basePath` in front of every path. */
  readonly origin: string;
  readonly basePath: string;
  /** Namespace of the context or the Pod; `default` when none is set. */
  readonly namespace: string;
  readonly proxy: string | undefined;
  readonly tls: {
    ca?: Buffer | string;
    cert?: Buffer | string;
    key?: Buffer | string;
    servername?: string;
    rejectUnauthorized?: boolean;
  };
  readonly headers: Record<string, string>;
}

/** Reads everything anew: files, tokens, and the answer of a credential program. Throws KubeConfigInvalid. */
export async function readCredentials(source: KubeSource): Promise<Credentials> {
  // Loading the package takes a quarter of a second, which a command that never asks the API server must not pay.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    load(config, source);
  } catch (error) {
    throw new KubeConfigInvalid(`the kubeconfig cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const cluster = config.getCurrentCluster();
  if (!cluster || !URL.canParse(cluster.server)) throw new KubeConfigInvalid('the context names no usable API server');
  const options: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new KubeConfigInvalid(`no credentials for ${cluster.server}: ${(error as Error).message}`, { cause: error });
  }
  if (cluster.proxyUrl !== undefined && !/^https?:/.test(cluster.proxyUrl)) {
    throw new KubeConfigInvalid(`the proxy ${cluster.proxyUrl} is no HTTP proxy`);
  }
  const { origin, pathname } = new URL(cluster.server);
  return {
    origin,
    basePath: pathname.replace(/\/$/, ''),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace?.trim() || 'default',
    proxy: cluster.proxyUrl,
    tls: tlsOf(options),
    headers: headersOf(options),
  };
}

function load(config: KubeConfig, source: KubeSource): void {
  if ('inCluster' in source) {
    config.loadFromCluster(source.root);
    return;
  }
  if (source.kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(source.kubeconfig);
  if (source.context === undefined) return;
  if (!config.getContextObject(source.context)) throw new RangeError(`it has no context '${source.context}'`);
  config.setCurrentContext(source.context);
}

function tlsOf(options: RequestOptions): Credentials['tls'] {
  const tls: Record<string, unknown> = {};
  for (const name of ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const) {
    if (options[name] !== undefined) tls[name] = options[name];
  }
  return tls;
}

function headersOf(options: RequestOptions): Record<string, string> {
  const given = Object.entries((options.headers ?? {}) as Record<string, unknown>);
  const headers = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value).trim()]));
  if (options.auth) headers.authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}
