import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DevInfo, defaultDataDir } from '@aip/controller/local/data-dir.js';
import { UsageError } from './errors.js';
import { type Gateway, openGateway } from './gateway.js';

/** How the user named the gateway. */
export interface ConnectionFlags {
  gateway?: string | undefined;
  'token-file'?: string | undefined;
  data?: string | undefined;
}

/** Where things were found. */
export interface Connection {
  gateway: Gateway;
  /** dev.json of the running `aip dev`, when that is where the address came from. */
  dev?: DevInfo;
}

/**
 * Finds gateway and token: flags, then AIP_GATEWAY_URL with AIP_TOKEN or AIP_TOKEN_FILE, then the dev.json of a running `aip dev`. A token
 * of dev.json is used only with dev.json's gateway.
 */
export async function connect(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Promise<Connection> {
  const named = flags.gateway ?? env.AIP_GATEWAY_URL;
  const given = await tokenOf(flags, env);
  if (named !== undefined) return { gateway: openGateway({ url: originOf(named), token: given }) };
  const dev = await readDev(flags.data ?? env.AIP_DEV_DATA ?? defaultDataDir(env));
  if (!dev)
    throw new UsageError(
      'No gateway is named and no `aip dev` has left its address.',
      'Start one with `aip dev`, or name yours with --gateway or AIP_GATEWAY_URL.',
    );
  return { gateway: openGateway({ url: dev.gateway_url, token: given ?? (await devToken(dev.token_file)) }), dev };
}

/** dev.json of a data folder; undefined when there is none. */
export async function readDev(dataDir: string): Promise<DevInfo | undefined> {
  const text = await readFile(join(dataDir, 'dev.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as DevInfo);
}

async function tokenOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (flags['token-file'] !== undefined) return tokenFrom(flags['token-file']);
  if (env.AIP_TOKEN) return env.AIP_TOKEN.trim();
  if (env.AIP_TOKEN_FILE) return tokenFrom(env.AIP_TOKEN_FILE);
  return undefined;
}

/** An `aip dev` without instances has made no token yet. */
async function devToken(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(() => '')).trim() || undefined;
}

async function tokenFrom(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The token file ${file} can't be read (${error.code}).`, 'Check the path and its mode.');
  });
  const token = text.trim();
  if (token === '') throw new UsageError(`The token file ${file} is empty.`, '`aip tokens create` makes a token.');
  return token;
}

function originOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new UsageError(`${JSON.stringify(text)} is not an http(s) URL.`, 'Write it like http://127.0.0.1:8080.');
  return new URL(text).origin;
}
