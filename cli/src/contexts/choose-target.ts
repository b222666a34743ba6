import { UsageError } from '../client/errors.js';
import { type AipContext, type Contexts, DEV_CONTEXT } from './context.js';
import { contextNamed } from './contexts-file.js';

/** What the user said on the command line about where to go. */
export interface TargetFlags {
  gateway?: string | undefined;
  context?: string | undefined;
  data?: string | undefined;
}

/**
 * Where a command goes. `url`: an address named by hand, with a context's credential only when a flag named that context too. `context`: an
 * entry of contexts.yaml; `byFlag` when a flag named it. `dev`: a running `aip dev`.
 */
export type Target =
  | { readonly kind: 'url'; readonly url: string; readonly context?: AipContext }
  | { readonly kind: 'context'; readonly context: AipContext; readonly byFlag: boolean }
  | { readonly kind: 'dev'; readonly data?: string };

/**
 * Flags, then environment, then the context in use, then the running `aip dev`. Within the environment an address goes before a context and
 * that before a data folder. `contexts` is read only where no flag decides. Throws CliError.
 */
export async function chooseTarget(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  contexts: () => Promise<Contexts>,
): Promise<Target> {
  const named = async (name: string, byFlag: boolean): Promise<Target> =>
    name === DEV_CONTEXT
      ? dev(flags.data ?? (env.AIP_DEV_DATA || undefined))
      : { kind: 'context', context: contextNamed(await contexts(), name), byFlag };
  if (flags.context !== undefined && flags.data !== undefined && flags.context !== DEV_CONTEXT)
    throw new UsageError('--context and --data name two different fleets.', 'Leave one of them out.');
  if (flags.gateway !== undefined) {
    const target = flags.context === undefined ? undefined : await named(flags.context, true);
    return { kind: 'url', url: flags.gateway, ...(target?.kind === 'context' ? { context: target.context } : {}) };
  }
  if (flags.context !== undefined) return named(flags.context, true);
  if (flags.data !== undefined) return dev(flags.data);
  if (env.AIP_GATEWAY_URL) return { kind: 'url', url: env.AIP_GATEWAY_URL };
  if (env.AIP_CONTEXT) return named(env.AIP_CONTEXT, false);
  if (env.AIP_DEV_DATA) return dev(env.AIP_DEV_DATA);
  const { current } = await contexts();
  return current === undefined ? dev() : named(current, false);
}

function dev(data?: string): Target {
  return { kind: 'dev', ...(data === undefined ? {} : { data }) };
}
