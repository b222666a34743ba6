import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writePrivate } from '@aip/controller/local/files.js';
import { CliError, EXIT, UsageError } from '../client/errors.js';
import { type AipContext, type Contexts, contextsProblem, DEV_CONTEXT } from './context.js';

/** The contexts file can't be read or is not one. */
export class ContextsInvalid extends CliError {
  readonly code = 'cli.contexts_invalid';
  constructor(file: string, problem: string) {
    super(`${file} is not a contexts file: ${problem}.`, EXIT.usage, 'Mend it, or name another file with AIP_CONFIG.');
  }
}

/** AIP_CONFIG, else `aip/contexts.yaml` in the XDG configuration folder. */
export function contextsPath(env: NodeJS.ProcessEnv): string {
  if (env.AIP_CONFIG) return env.AIP_CONFIG;
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME ?? homedir(), '.config');
  return join(config, 'aip', 'contexts.yaml');
}

/** All contexts; none when the file is not there. Throws ContextsInvalid. */
export async function readContexts(env: NodeJS.ProcessEnv): Promise<Contexts> {
  const file = contextsPath(env);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new ContextsInvalid(file, `it can't be read (${error.code})`);
  });
  if (text.trim() === '') return { contexts: [] };
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new ContextsInvalid(file, (error as Error).message.split('\n')[0] ?? 'it is not YAML');
  }
  const problem = contextsProblem(value);
  if (problem) throw new ContextsInvalid(file, problem);
  return value as Contexts;
}

/** Reads, changes and writes the file, mode 0600: it holds tokens. */
export async function changeContexts(
  env: NodeJS.ProcessEnv,
  change: (contexts: Contexts) => Contexts,
): Promise<Contexts> {
  const changed = change(await readContexts(env));
  const { stringify } = await import('yaml');
  await writePrivate(contextsPath(env), stringify(changed, { lineWidth: 0 }));
  return changed;
}

/** The context of that name. Throws UsageError that names those there are. */
export function contextNamed(contexts: Contexts, name: string): AipContext {
  const found = contexts.contexts.find((context) => context.name === name);
  if (found) return found;
  const names = [...contexts.contexts.map((context) => context.name), DEV_CONTEXT].join(', ');
  throw new UsageError(
    `There is no context ${JSON.stringify(name)}.`,
    `Those there are: ${names}. \`aip context add\` makes one.`,
  );
}
