import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { openTimer } from '@aip/runtime/internal/time';
import { type ModuleFiles, moduleFiles } from './module-files.js';

/** Changes that come together count as one: editors write a file in several steps. In ms. */
const GATHER_MS = 60;
/** Longest time that changes are gathered, in ms: a file that something writes to all the time must not hide the others. */
const MOST_GATHER_MS = 300;
/** How often a folder that is not there is searched for again, in ms. */
const MISSING_MS = 1000;

/** Follows the files of connector modules. */
export interface ModuleWatch {
  /** Follows exactly these modules from now on; gives the digest of each. */
  follow(modules: readonly string[]): Promise<ReadonlyMap<string, string>>;
  stop(): void;
}

/** What is reported of the folders of modules. */
export interface ModuleChanges {
  /** Modules have other contents than before. */
  changed(digests: ReadonlyMap<string, string>): void;
  /** Something else changed beside them, such as a package that was installed. */
  besides(): void;
}

/** Reports changes of modules. Folders are watched, because editors replace files by renaming. */
export function watchModules({ changed, besides }: ModuleChanges): ModuleWatch {
  let known = new Map<string, ModuleFiles>();
  let gatheringSince: number | undefined;
  let stopped = false;
  let reading: Promise<unknown> = Promise.resolve();

  const touched = (): void => {
    const now = performance.now();
    gatheringSince ??= now;
    gathering.restart(Math.max(0, Math.min(GATHER_MS, gatheringSince + MOST_GATHER_MS - now)));
  };
  const folders = openFolders(touched);
  const digests = (): ReadonlyMap<string, string> =>
    new Map([...known].map(([module, { digest }]) => [module, digest]));
  /** Reads modules, one after another call: what was read earlier must not take the place of what was read later. */
  const read = <T>(modules: () => Iterable<string>, then: (before: ReadonlyMap<string, string>) => T): Promise<T> => {
    const run = reading.then(async () => {
      const before = digests();
      // What changed before its folder was watched is reported by nobody: it is read again.
      do
        known = new Map(
          await Promise.all([...modules()].map(async (module) => [module, await moduleFiles(module)] as const)),
        );
      while (!stopped && folders.follow([...known].flatMap(([module, { files }]) => [module, ...files]).map(dirname)));
      return then(before);
    });
    reading = run.catch(() => undefined);
    return run;
  };
  const report = (): void => {
    gatheringSince = undefined;
    void read(
      () => known.keys(),
      (before) => {
        if (stopped) return;
        const after = digests();
        if ([...after].some(([module, digest]) => before.get(module) !== digest)) changed(after);
        else besides();
      },
    );
  };
  const gathering = openTimer(report);
  return {
    follow: (modules) => read(() => new Set(modules), digests),
    stop: () => {
      stopped = true;
      gathering.stop();
      folders.stop();
    },
  };
}

interface Folders {
  /** Watches exactly these folders; true when one is watched that was not before. */
  follow(paths: readonly string[]): boolean;
  stop(): void;
}

/** Watches folders, also one that is removed and made again, as a change of branches does. */
function openFolders(touched: () => void): Folders {
  const watched = new Map<string, { watcher: FSWatcher; inode: number }>();
  const missing = new Set<string>();
  const leave = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const search = (): void => {
    if ([...missing].some((folder) => existsSync(folder))) touched();
    else searching.start(MISSING_MS);
  };
  const searching = openTimer(search, { ref: false });
  const isNew = (folder: string): boolean => {
    try {
      const { ino } = statSync(folder);
      if (watched.get(folder)?.inode === ino) return false;
      leave(folder);
      const watcher = watch(folder, { persistent: false }, touched);
      watcher.on('error', () => leave(folder));
      watched.set(folder, { watcher, inode: ino });
      return true;
    } catch {
      leave(folder);
      missing.add(folder);
      return false;
    }
  };
  return {
    follow: (paths) => {
      const wanted = new Set(paths);
      for (const folder of [...watched.keys()]) if (!wanted.has(folder)) leave(folder);
      searching.stop();
      missing.clear();
      const added = [...wanted].filter(isNew).length;
      if (missing.size > 0) searching.start(MISSING_MS);
      return added > 0;
    },
    stop: () => {
      searching.stop();
      for (const folder of [...watched.keys()]) leave(folder);
    },
  };
}
