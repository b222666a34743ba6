import { readFile } from 'node:fs/promises';
import { dataPaths, defaultDataDir } from '@aip/controller/internal/data-folder';
import { readPrincipals, tenantApproverFile, tokenDigest } from '@aip/controller/internal/fleet';
import type { Principal, PrincipalKind } from '@aip/runtime/internal/protocol';
import { UsageError } from '../client/errors.js';
import { type Connection, type ConnectionFlags, connect } from '../contexts/connection.js';

const KINDS: readonly PrincipalKind[] = ['human', 'agent', 'service', 'tenant', 'customer', 'contact', 'system'];

/** A connection with the principal that its token stands for. */
export interface Identified {
  connection: Connection;
  principal: Principal;
}

/**
 * The caller of a decision. A gateway takes one only from the authenticated principal, named with its id: `as`, else the operator of the context's
 * tenant; under `aip dev` the tenant's approver, because a requester may not approve its own action. Throws UsageError.
 */
export async function approverOf(
  flags: ConnectionFlags & { as?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<Identified> {
  const connection = await connect(flags, env);
  const given = isTokenGiven(flags, env);
  if (flags.as !== undefined) return { connection, principal: principalOf(flags.as) };
  const own = await devApprover(connection, flags, env);
  if (own) {
    await connection.close();
    const approver = await connect({ ...flags, 'token-file': own.tokenFile }, env);
    return { connection: approver, principal: principalOf(approverId(own.tenant)) };
  }
  if (!given && connection.context?.tenant !== undefined)
    return { connection, principal: principalOf(`human:operator:${connection.context.tenant}`) };
  await connection.close();
  throw new UsageError('A decision names who decides, and a token does not say whose it is.', 'Add --as PRINCIPAL.');
}

/** The approver that an `aip dev` has for the tenant that is named, else for that of its own token; undefined elsewhere, and where a token was given. */
export async function devApprover(
  { dev }: Connection,
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
): Promise<{ tenant: string; tokenFile: string } | undefined> {
  if (!dev || isTokenGiven(flags, env)) return undefined;
  const paths = dataPaths(flags.data ?? defaultDataDir(env));
  const token = (await readFile(dev.token_file, 'utf8').catch(() => '')).trim();
  const entries = await readPrincipals(paths.principals);
  const tenant = flags.tenant ?? entries.find(({ token_digest }) => token_digest === tokenDigest(token))?.tenant_id;
  const isKnown = entries.some(({ principal_id }) => principal_id === approverId(tenant));
  return tenant !== undefined && isKnown ? { tenant, tokenFile: tenantApproverFile(paths, tenant) } : undefined;
}

const approverId = (tenant: string | undefined): string => `human:approver:${tenant}`;

function isTokenGiven(flags: ConnectionFlags, env: NodeJS.ProcessEnv): boolean {
  return flags['token-file'] !== undefined || Boolean(env.AIP_TOKEN || env.AIP_TOKEN_FILE);
}

function principalOf(id: string): Principal {
  const kind = KINDS.find((known) => id.startsWith(`${known}:`)) ?? 'human';
  return { id, kind };
}
