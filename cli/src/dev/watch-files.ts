import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Resources } from '@aip/controller/internal/api';
import type { Fleet } from '@aip/controller/internal/dev';
import {
  loadResources,
  mergeResources,
  type ResourceFile,
  readResourceFiles,
} from '@aip/controller/internal/resources';
import { openTimer } from '@aip/runtime/internal/time';
import type { DevView } from './dev-view.js';

/** Time without a change after which the files are applied, in ms: editors write in several steps. */
const SETTLED_MS = 150;

/**
 * Applies the files again when one of them changes, also when it did so since `applied` was read; a file that does not parse changes nothing.
 */
export function watchFiles(applied: readonly ResourceFile[], fleet: Fleet, view: DevView, signal: AbortSignal): void {
  const names = applied.map(({ name }) => name);
  let current = loadResources(applied);
  const apply = async (isNews: (files: readonly ResourceFile[]) => boolean): Promise<void> => {
    try {
      const files = await readResourceFiles(names);
      if (!isNews(files)) return;
      const fresh = loadResources(files);
      const others = without(fleet.desired(), current);
      current = fresh;
      await fleet.apply(mergeResources(others, fresh), { keepOthers: false, timeoutMs: 120_000 });
    } catch (error) {
      view.note(error instanceof Error ? error.message : String(error));
    }
  };
  const settled = openTimer(() => apply(() => true));
  // Editors replace files by renaming, so the folders are watched, not the files.
  const watched = new Set(names.map((name) => basename(name)));
  for (const folder of new Set(names.map((name) => dirname(resolve(name)))))
    watch(folder, { signal, persistent: false }, (_, name) => {
      if (name === null || !watched.has(name)) return;
      settled.restart(SETTLED_MS);
    });
  // What was saved while the fleet started, or before the folders were watched, is reported by no watch.
  void apply((files) => !isDeepStrictEqual(files, applied));
}

/** What is desired beside the resources that the watched files held. */
function without(all: Resources, gone: Resources): Resources {
  const keep = <T extends { kind: string; metadata: { name: string; namespace: string } }>(list: T[], drop: T[]): T[] =>
    list.filter(
      ({ metadata }) =>
        !drop.some((other) => other.metadata.name === metadata.name && other.metadata.namespace === metadata.namespace),
    );
  return {
    instances: keep(all.instances, gone.instances),
    replicas: keep(all.replicas, gone.replicas),
    secrets: keep(all.secrets, gone.secrets),
  };
}
