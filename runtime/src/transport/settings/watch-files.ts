import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { every, openTimer } from '../../time/timer.js';

/** Milliseconds between polls that no change announced: a watch may be lost, or never have begun. */
const POLL_EVERY_MS = 10_000;
/** Changes that come together are checked once, so many milliseconds after the first. */
const SETTLE_MS = 20;

/** A watch that continues until it is closed; it does not keep the process alive. */
export interface FileWatch {
  close(): void;
}

/**
 * Calls `check` soon after anything changed in one of the folders, and every 10 seconds in any case. A folder that cannot be watched is
 * checked by time alone. `check` must not throw.
 */
export function watchFolders(
  folders: readonly string[],
  check: () => void,
  everyMs: number = POLL_EVERY_MS,
): FileWatch {
  const soon = openTimer(check, { ref: false });
  const watchers = [...new Set(folders)].flatMap((folder) => watcherOf(folder, () => soon.start(SETTLE_MS)));
  const stopChecks = every(everyMs, check, { ref: false });
  return {
    close: () => {
      soon.stop();
      stopChecks();
      for (const watcher of watchers) watcher.close();
    },
  };
}

/**
 * Calls `changed` after one of the files was written, replaced, removed or led elsewhere by its links; never for a mere poll. When it
 * returns false the change counts as not seen, and the next poll calls it again.
 */
export function watchFiles(files: readonly string[], changed: () => boolean, everyMs?: number): FileWatch {
  let known = stampOf(files);
  const check = (): void => {
    const stamp = stampOf(files);
    if (stamp !== known && changed()) known = stamp;
  };
  return watchFolders(files.map(dirname), check, everyMs);
}

function watcherOf(folder: string, changed: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

/** Changes with what the files are, links followed. */
function stampOf(files: readonly string[]): string {
  return files.map(fileStamp).join('|');
}

function fileStamp(file: string): string {
  try {
    const { dev, ino, size, mode, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return `${dev}:${ino}:${size}:${mode}:${mtimeNs}:${ctimeNs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}
