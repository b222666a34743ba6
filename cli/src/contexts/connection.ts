import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DevInfo, dataPaths, defaultDataDir } from '@aip/controller/internal/dev-paths';
import { fileProblem, type Gateway, openGateway } from '@aip/runtime/internal/gateway';
import { UsageError } from '../client/errors.js';
import { plainFetch } from '../client/plain-fetch.js';
import { chooseTarget, type Target, type TargetFlags } from './choose-target.js';
import type { AipContext } from './context.js';
import { readContexts } from './contexts-file.js';

/** How the user named the gateway. */
export interface ConnectionFlags extends TargetFlags {
  'token-file'?: string | undefined;
  'ca-file'?: string | undefined;
  /** The tenant whose records are meant. */
  tenant?: string | undefined;
}

/** Where things were found. */
export interface Connection {
  gateway: Gateway;
  /** dev.json of the running `aip dev`, when that is where the address came from. */
  dev?: DevInfo;
  /** The context that named the gateway or its credential. */
  context?: AipContext;
  /** Ends the connections that the command holds. */
  close(): Promise<void>;
}

/**
 * Finds gateway and token: flags, environment, the context in use, the dev.json of a running `aip dev`. A token of a context or of dev.json
 * is used only with that one's gateway. Opens no connection yet.
 */
export async function connect(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Promise<Connection> {
  const target = await chooseTarget(flags, env, () => readContexts(env));
  if (target.kind === 'dev') return connectToDev(target.data, flags, env);
  const { context } = target;
  const found = await tokenFor(target, flags, env);
  const url = target.kind === 'url' ? target.url : (flags.gateway ?? context?.gateway_url);
  const caFile = flags['ca-file'] ?? env.AIP_CA_FILE;
  const ca = caFile === undefined ? await contextCa(context) : await readText(caFile, 'certificate');
  const advice = context
    ? `The context ${context.name} names it; \`aip doctor --context ${context.name}\` says what is wrong.`
    : undefined;
  const shared = { token: found?.token, tenantId: flags.tenant, tokenSource: found?.source ?? 'no token', advice };
  if (url === undefined && context?.kube) {
    const { tunnelFetch } = await import('../kube/tunnel-fetch.js');
    const tunnel = tunnelFetch(context.kube, ca);
    return { gateway: openGateway({ ...shared, url: tunnel.url, fetch: tunnel.fetch }), context, close: tunnel.close };
  }
  const origin = originOf(url ?? '');
  const known = context === undefined ? {} : { context };
  if (ca === undefined)
    return { gateway: openGateway({ ...shared, url: origin, fetch: plainFetch }), ...known, close: nothing };
  const { trustedFetch } = await import('../client/trusted-fetch.js');
  const trusted = trustedFetch({ ca });
  return { gateway: openGateway({ ...shared, url: origin, fetch: trusted.fetch }), ...known, close: trusted.close };
}

async function connectToDev(
  data: string | undefined,
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
): Promise<Connection> {
  const folder = data ?? defaultDataDir(env);
  const dev = await readDev(folder);
  if (!dev)
    throw new UsageError(
      'No gateway is named and no `aip dev` has left its address.',
      'Start one with `aip dev`, name yours with --gateway or AIP_GATEWAY_URL, or choose a context with `aip context use`.',
    );
  const found = (await givenToken(flags, env)) ?? (await devToken(dev, folder, flags.tenant));
  return {
    gateway: openGateway({
      url: dev.gateway_url,
      fetch: plainFetch,
      token: found.token,
      tenantId: flags.tenant,
      tokenSource: found.source,
    }),
    dev,
    close: nothing,
  };
}

async function nothing(): Promise<void> {}

/** dev.json of a data folder; undefined when there is none. */
export async function readDev(dataDir: string): Promise<DevInfo | undefined> {
  const text = await readFile(join(dataDir, 'dev.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as DevInfo);
}

/** A context that a flag named brings its own token; the environment's may belong to another gateway. */
async function tokenFor(
  target: Exclude<Target, { kind: 'dev' }>,
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
): Promise<FoundToken | undefined> {
  const byFlag = target.kind === 'url' || target.byFlag;
  const fromContext = async (): Promise<FoundToken | undefined> => {
    const token = await contextToken(target.context);
    return token === undefined ? undefined : { token, source: `the token of the context ${target.context?.name}` };
  };
  if (byFlag && flags['token-file'] === undefined) {
    const own = await fromContext();
    if (own !== undefined) return own;
  }
  return (await givenToken(flags, env)) ?? (await fromContext());
}

/** A token and where it came from, for people. */
interface FoundToken {
  token: string;
  source: string;
}

/** The token that flags or environment name. Throws UsageError. */
async function givenToken(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Promise<FoundToken | undefined> {
  const file = flags['token-file'];
  if (file !== undefined) return { token: await tokenFrom(file), source: `the token of ${file}` };
  if (env.AIP_TOKEN) return { token: env.AIP_TOKEN.trim(), source: 'the token of AIP_TOKEN' };
  if (env.AIP_TOKEN_FILE)
    return { token: await tokenFrom(env.AIP_TOKEN_FILE), source: `the token of ${env.AIP_TOKEN_FILE}` };
  return undefined;
}

/** The token of a context; undefined when it has none. Throws UsageError. */
export async function contextToken(context: AipContext | undefined): Promise<string | undefined> {
  if (context?.token !== undefined) return context.token;
  return context?.token_file === undefined ? undefined : tokenFrom(context.token_file);
}

async function contextCa(context: AipContext | undefined): Promise<string | undefined> {
  if (context?.ca !== undefined) return context.ca;
  return context?.ca_file === undefined ? undefined : readText(context.ca_file, 'certificate');
}

/** The token of the named tenant's operator, else that of the first one. An `aip dev` without instances has made none yet. */
async function devToken(
  dev: DevInfo,
  folder: string,
  tenant: string | undefined,
): Promise<{ token: string | undefined; source: string }> {
  if (tenant !== undefined) {
    const { tenantTokenFile } = await import('@aip/controller/internal/fleet');
    const file = tenantTokenFile(dataPaths(folder), tenant);
    const token = await tokenIn(file);
    if (token !== undefined) return { token, source: `the token of ${file}` };
  }
  return { token: await tokenIn(dev.token_file), source: `the token of ${dev.token_file}` };
}

async function tokenIn(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(() => '')).trim() || undefined;
}

/** The token in a file. Throws UsageError when there is none. */
export async function tokenFrom(file: string): Promise<string> {
  const token = (await readText(file, 'token')).trim();
  if (token === '') throw new UsageError(`The token file ${file} is empty.`, '`aip tokens create` makes a token.');
  return token;
}

/** The text of a file that the user named. Throws UsageError. */
export async function readText(file: string, what: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `The ${what} file ${file} can't be read: ${fileProblem(error)}.`,
      'Check the path and its mode.',
    );
  });
}

/** The origin of an address as the user wrote it. Throws UsageError. */
export function originOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new UsageError(`${JSON.stringify(text)} is not an http(s) URL.`, 'Write it like http://127.0.0.1:8080.');
  return new URL(text).origin;
}
