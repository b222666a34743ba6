import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { fileProblem } from '@aip/runtime/internal/gateway';
import { CliError, UsageError } from '../client/errors.js';
import { type AipContext, type Contexts, contextsProblem, DEV_CONTEXT } from './context.js';

/** AIP_CONFIG, else `aip/contexts.yaml` in the XDG configuration folder. */
export function contextsPath(env: NodeJS.ProcessEnv): string {
  if (env.AIP_CONFIG) return env.AIP_CONFIG;
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME ?? homedir(), '.config');
  return join(config, 'aip', 'contexts.yaml');
}

/** All contexts; none when the file is not there. Fails with `cli.contexts_invalid`. */
export async function readContexts(env: NodeJS.ProcessEnv): Promise<Contexts> {
  const file = contextsPath(env);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw contextsInvalid(file, `it can't be read: ${fileProblem(error)}`);
  });
  if (text.trim() === '') return { contexts: [] };
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw contextsInvalid(file, (error as Error).message.split('\n')[0] ?? 'it is not YAML');
  }
  const problem = contextsProblem(value);
  if (problem) throw contextsInvalid(file, problem);
  return value as Contexts;
}

/**
 * Reads, changes and writes the file, mode 0600: it holds tokens. Several commands at once lose nothing of each other's. Fails with
 * `cli.contexts_invalid` and `cli.contexts_in_use`.
 */
export async function changeContexts(
  env: NodeJS.ProcessEnv,
  change: (contexts: Contexts) => Contexts,
): Promise<Contexts> {
  const file = contextsPath(env);
  const release = await locked(file);
  try {
    const changed = change(await readContexts(env));
    const { stringify } = await import('yaml');
    const { writePrivate } = await import('@aip/controller/internal/data-folder');
    await writePrivate(file, stringify(changed, { lineWidth: 0 }));
    return changed;
  } finally {
    await release();
  }
}

async function locked(file: string): Promise<() => Promise<void>> {
  const { LockHeld, waitForLock } = await import('@aip/controller/internal/data-folder');
  return waitForLock(`${file}.lock`).catch((error: unknown) => {
    throw error instanceof LockHeld
      ? new CliError('cli.contexts_in_use', `Process ${error.pid} is changing ${file}.`)
      : error;
  });
}

/** The context of that name. Throws UsageError that names those there are. */
export function contextNamed(contexts: Contexts, name: string): AipContext {
  const found = contexts.contexts.find((context) => context.name === name);
  if (found) return found;
  const names = [...contexts.contexts.map((context) => context.name), DEV_CONTEXT];
  throw new UsageError(
    `There is no context ${JSON.stringify(name)}.`,
    didYouMean(similar(name, names)) ?? `Those there are: ${names.join(', ')}. \`aip context add\` makes one.`,
  );
}

function contextsInvalid(file: string, problem: string): CliError {
  return new CliError('cli.contexts_invalid', `${file} is not a contexts file: ${problem}.`);
}
