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
  const given = flags['token-file'] !== undefined || env.AIP_TOKEN || env.AIP_TOKEN_FILE;
  if (flags.as !== undefined) return { connection, principal: principalOf(flags.as) };
  if (connection.dev) {
    const paths = dataPaths(flags.data ?? env.AIP_DEV_DATA ?? defaultDataDir(env));
    const token = (await readFile(connection.dev.token_file, 'utf8').catch(() => '')).trim();
    const entries = await readPrincipals(paths.principals);
    const own = entries.find(({ token_digest }) => token_digest === tokenDigest(token));
    if (!given && own?.tenant_id !== undefined) {
      await connection.close();
      const file = tenantApproverFile(paths, own.tenant_id);
      const approver = await connect({ ...flags, 'token-file': file }, env);
      return { connection: approver, principal: principalOf(`human:approver:${own.tenant_id}`) };
    }
  }
  if (!given && connection.context?.tenant !== undefined)
    return { connection, principal: principalOf(`human:operator:${connection.context.tenant}`) };
  await connection.close();
  throw new UsageError('A decision names who decides, and a token does not say whose it is.', 'Add --as PRINCIPAL.');
}

function principalOf(id: string): Principal {
  const kind = KINDS.find((known) => id.startsWith(`${known}:`)) ?? 'human';
  return { id, kind };
}
