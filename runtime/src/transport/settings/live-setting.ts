import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../process/logger.js';
import { watchFiles } from './watch-files.js';

/** A setting that lives in files: what it was at the start, and how to read it again. */
export interface FileSetting<T> {
  /** The files to be watched; none for a setting that stays as it is. */
  readonly files: readonly string[];
  readonly initial: T;
  /** Reads and checks it as the start does. Throws StartupRefused that names the variable. */
  read(): T;
}

/** A setting as it is now. */
export interface LiveSetting<T> {
  current(): T;
  /** Stops checking the files. */
  close(): void;
}

/** A setting of files that is read, and so checked, now. */
export function fileSetting<T>(files: readonly string[], read: () => T): FileSetting<T> {
  return { files, initial: read(), read };
}

/** A setting that stays as it is. */
export function fixedSetting<T>(value: T): FileSetting<T> {
  return { files: [], initial: value, read: () => value };
}

/**
 * Follows the files of a setting. A change that reads well is in force from then on, and `changed` is reported; one that does not is logged,
 * leaves the last good value in force, and is read again at the next poll. `what` names the setting in logs.
 */
export function followSetting<T>(
  setting: FileSetting<T>,
  options: { what: string; log: Logger; changed?: (value: T) => void; pollEveryMs?: number },
): LiveSetting<T> {
  const { what, log } = options;
  let value = setting.initial;
  if (setting.files.length === 0) return { current: () => value, close: () => undefined };
  const readAgain = (): boolean => {
    try {
      const next = setting.read();
      if (isDeepStrictEqual(next, value)) return true;
      options.changed?.(next);
      value = next;
      log.info({ setting: what, files: setting.files }, 'a setting was read again');
      return true;
    } catch (error) {
      log.error(
        { setting: what, reason: (error as Error).message },
        'a changed setting is refused; the last one stays in force',
      );
      return false;
    }
  };
  const watch = watchFiles(setting.files, readAgain, options.pollEveryMs);
  return { current: () => value, close: watch.close };
}
