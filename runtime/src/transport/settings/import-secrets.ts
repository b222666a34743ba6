import { isAbsolute, resolve, sep } from 'node:path';
import type { Logger } from '../process/logger.js';
import { StartupRefused } from '../process/startup.js';
import { ownFolder, readSecretFolder, writeSecretFolder } from './import-folder.js';
import { type FileWatch, watchFolders } from './watch-files.js';

/** The variable that names the folders, for every program of the runtime. */
export const IMPORT_VARIABLE = 'AIP_IMPORT_SECRETS';

/** A mounted folder of secrets, and the folder that gets owner-only copies of its files. */
export interface SecretImport {
  readonly from: string;
  readonly to: string;
}

/**
 * The folders of a text `from:to,from:to…`: absolute, none inside another one's target. Empty when there is no text. Throws StartupRefused
 * with code `aip.config`.
 */
export function parseSecretImports(text: string | undefined): SecretImport[] {
  const refuse = (why: string): StartupRefused => new StartupRefused('aip.config', `${IMPORT_VARIABLE} ${why}`);
  const entries = (text ?? '').split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim()]));
  const imports = entries.map((entry) => {
    const [from = '', to = '', ...more] = entry.split(':');
    if (!isAbsolute(from) || !isAbsolute(to) || more.length > 0)
      throw refuse(`must be a list of from:to with absolute folders, not ${entry}`);
    return { from: resolve(from), to: resolve(to) };
  });
  for (const [index, { to }] of imports.entries()) {
    const others = [
      ...imports.map(({ from }) => from),
      ...imports.filter((_, at) => at !== index).map((one) => one.to),
    ];
    const near = others.find((other) => isWithin(other, to) || isWithin(to, other));
    if (near !== undefined) throw refuse(`must keep ${to} and ${near} apart`);
  }
  return imports;
}

/**
 * Copies every regular file of each `from`, links followed, into `to` as a file for its owner alone: the kubelet mounts Secrets as links to
 * files of root's that a group may read, which the rules for secret files refuse. Then continues to do so on every change until the watch is
 * closed; what fails later is logged, leaves the copies as they were, and is tried again. Throws StartupRefused with code
 * `aip.config.import`.
 */
export function importSecrets(imports: readonly SecretImport[], log: Logger, pollEveryMs?: number): FileWatch {
  for (const one of imports) {
    refusing(`the secrets of ${one.from} cannot be read`, () => readSecretFolder(one.from));
    refusing(`the folder ${one.to} cannot be made its owner's alone`, () => ownFolder(one.to));
    refusing(`the secrets of ${one.from} cannot be copied to ${one.to}`, () => copy(one));
  }
  const again = (): void => {
    for (const one of imports) copyAgain(one, log);
  };
  return watchFolders(
    imports.map(({ from }) => from),
    again,
    pollEveryMs,
  );
}

function copy({ from, to }: SecretImport): string[] {
  return writeSecretFolder(to, readSecretFolder(from));
}

function copyAgain(one: SecretImport, log: Logger): void {
  try {
    const names = copy(one);
    if (names.length > 0) log.info({ from: one.from, to: one.to, names }, 'secrets were imported again');
  } catch (error) {
    log.error({ from: one.from, to: one.to, reason: (error as Error).message }, 'secrets could not be imported again');
  }
}

function refusing(what: string, run: () => void): void {
  try {
    run();
  } catch (cause) {
    throw new StartupRefused('aip.config.import', `${what}: ${(cause as Error).message}`, { cause });
  }
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
