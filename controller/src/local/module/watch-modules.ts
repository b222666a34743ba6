import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { type ModuleFiles, moduleFiles } from './module-files.js';

/** Changes that come together count as one: editors write a file in several steps. In ms. */
const GATHER_MS = 60;

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
  let watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const digests = (): ReadonlyMap<string, string> =>
    new Map([...known].map(([module, { digest }]) => [module, digest]));
  const read = async (modules: Iterable<string>): Promise<void> => {
    const found = await Promise.all([...modules].map(async (module) => [module, await moduleFiles(module)] as const));
    known = new Map(found);
    const folders = new Set(
      [...known].flatMap(([module, { files }]) => [module, ...files]).map((file) => dirname(file)),
    );
    for (const [folder, watcher] of watchers) if (!folders.has(folder)) watcher.close();
    watchers = new Map([...watchers].filter(([folder]) => folders.has(folder)));
    if (stopped) return;
    for (const folder of folders) {
      if (watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, touched);
        watcher.on('error', () => watchers.delete(folder));
        watchers.set(folder, watcher);
      } catch {
        // The folder is not there; it is tried again with the next change.
      }
    }
  };
  const touched = (): void => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const before = digests();
      await read(known.keys());
      const after = digests();
      if (stopped) return;
      if ([...after].some(([module, digest]) => before.get(module) !== digest)) changed(after);
      else besides();
    }, GATHER_MS);
  };
  return {
    follow: async (modules) => {
      await read(new Set(modules));
      return digests();
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
