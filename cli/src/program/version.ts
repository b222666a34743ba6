import { parseArgs } from 'node:util';
import { ClientError } from '@aip/runtime/internal/gateway';
import { timed } from '@aip/runtime/internal/time';
import { connect } from '../contexts/connection.js';
import type { OutputFormat } from '../output.js';

type VersionFlags = Parameters<typeof connect>[0] & { client?: boolean; json?: boolean };

/** The flags of `aip version`; undefined when there are others or they do not parse. */
export function versionFlags(args: readonly string[]): VersionFlags | undefined {
  const text = { type: 'string' } as const;
  const yes = { type: 'boolean' } as const;
  const options = {
    client: yes,
    json: yes,
    context: text,
    gateway: text,
    'token-file': text,
    'ca-file': text,
    data: text,
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return undefined;
  }
}

/** How long a gateway may take to say its version, in ms. */
const ASK_MS = 2000;

/** This program, and the gateway it would talk to. */
export interface Versions {
  client: { version: string; node: string; platform: string };
  /** Absent: none is named, or it was not asked for. `version` is absent when it does not say it. */
  gateway?: { url: string; version?: string; problem?: string };
  /** `same`, `patch`, `minor` or `major`: how far the two versions are apart. */
  skew?: 'same' | 'patch' | 'minor' | 'major';
}

/** Reads the versions of client and gateway; a gateway that does not answer is part of the answer. */
export async function readVersions(client: string, flags: VersionFlags, env: NodeJS.ProcessEnv): Promise<Versions> {
  const own = { version: client, node: process.versions.node, platform: `${process.platform}-${process.arch}` };
  if (flags.client) return { client: own };
  const connection = await connect(flags, env).catch((error: unknown) => {
    if (error instanceof ClientError) return undefined;
    throw error;
  });
  if (!connection) return { client: own };
  const { url } = connection.gateway;
  const progress = process.stderr.isTTY === true ? (await import('../progress/progress.js')).progress : undefined;
  progress?.about(`Waiting for the gateway at ${url}`);
  progress?.begin();
  try {
    const { gateway } = connection;
    const { body } = await timed(ASK_MS, (signal) => gateway.probe('/aip/v1/health', signal));
    const { software_version: version } = (body ?? {}) as { software_version?: string };
    return {
      client: own,
      gateway: { url, ...(version === undefined ? {} : { version }) },
      ...(version === undefined ? {} : { skew: skewOf(client, version) }),
    };
  } catch {
    return { client: own, gateway: { url, problem: 'does not answer' } };
  } finally {
    progress?.end();
    await connection.close();
  }
}

/** How far two versions are apart, by the first number that differs. */
export function skewOf(a: string, b: string): NonNullable<Versions['skew']> {
  const [first, second] = [a, b].map((text) => text.split(/[.+-]/).slice(0, 3));
  const at = (first ?? []).findIndex((part, index) => part !== second?.[index]);
  return at < 0 ? 'same' : ((['major', 'minor', 'patch'] as const)[at] ?? 'patch');
}

/** The versions for people. */
export function versionLines({ client, gateway, skew }: Versions): string[] {
  const lines = [`aip      ${client.version}  Node.js ${client.node}, ${client.platform}`];
  if (gateway) lines.push(`gateway  ${gateway.version ?? gateway.problem ?? 'unknown'}  ${gateway.url}`);
  if (skew === 'major' || skew === 'minor')
    lines.push(`The two differ in their ${skew} version; install the CLI of the gateway's version.`);
  return lines;
}

/** `aip version` without the command framework, which takes longer to load than the answer. */
export async function printVersions(
  version: string,
  flags: Parameters<typeof readVersions>[1],
  format: OutputFormat,
): Promise<void> {
  const versions = await readVersions(version, flags, process.env);
  const { rendered } = await import('../output.js');
  const text = await rendered(
    { document: versions, names: () => [version], text: () => versionLines(versions) },
    format,
    undefined,
  );
  process.stdout.write(`${text}\n`);
}
