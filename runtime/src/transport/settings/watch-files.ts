import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { every, openTimer } from '../../time/timer.js';

/** A look that nothing announced, every so many milliseconds: a watch may be lost, or never have begun. */
const LOOK_EVERY_MS = 10_000;
/** Changes that come together are checked once, so many milliseconds after the first. */
const SETTLE_MS = 20;

/** A watch that continues until it is closed; it does not keep the process alive. */
export interface FileWatch {
  close(): void;
}

/**
 * Calls `look` soon after anything changed in one of the folders, and every 10 seconds in any case. A folder that cannot be watched is
 * checked by time alone. `look` must not throw.
 */
export function watchFolders(folders: readonly string[], look: () => void, everyMs: number = LOOK_EVERY_MS): FileWatch {
  const soon = openTimer(look, { ref: false });
  const watchers = [...new Set(folders)].flatMap((folder) => watcherOf(folder, () => soon.start(SETTLE_MS)));
  const stopChecks = every(everyMs, look, { ref: false });
  return {
    close: () => {
      soon.stop();
      stopChecks();
      for (const watcher of watchers) watcher.close();
    },
  };
}

/**
 * Calls `changed` after one of the files was written, replaced, removed or led elsewhere by its links; never for a mere look. When it
 * returns false the change counts as not seen, and the next look calls it again.
 */
export function watchFiles(files: readonly string[], changed: () => boolean, everyMs?: number): FileWatch {
  let known = stampOf(files);
  const look = (): void => {
    const stamp = stampOf(files);
    if (stamp !== known && changed()) known = stamp;
  };
  return watchFolders(files.map(dirname), look, everyMs);
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
