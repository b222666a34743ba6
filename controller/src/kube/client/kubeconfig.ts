import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import type { Credentials } from './credentials.js';
import { KubeConfigInvalid } from './errors.js';

/** The API server and the user of a kubeconfig, `{}` for those of kubectl. Throws KubeConfigInvalid. */
export async function kubeconfigCredentials(source: {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}): Promise<Credentials> {
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
    throw new KubeConfigInvalid(`the proxy ${cluster.proxyUrl} is not an HTTP proxy`);
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

function load(config: KubeConfig, source: { kubeconfig?: string | undefined; context?: string | undefined }): void {
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
