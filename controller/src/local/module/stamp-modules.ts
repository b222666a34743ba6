import { ANNOTATIONS } from '../../api/group.js';
import type { LocalState } from '../state/store.js';

/** The connector modules that the desired instances name. */
export function modulesOf(state: LocalState): string[] {
  return Object.values(state.instances).flatMap(({ resource, deleted }) => {
    const module = resource.metadata.annotations?.[ANNOTATIONS.module];
    return module === undefined || deleted ? [] : [module];
  });
}

/** Makes the contents of modules part of what is desired; gives the keys of the instances for which they changed. */
export function stampModules(state: LocalState, digests: ReadonlyMap<string, string>): string[] {
  return Object.entries(state.instances).flatMap(([key, record]) => {
    const { metadata } = record.resource;
    const module = metadata.annotations?.[ANNOTATIONS.module];
    const digest = module === undefined ? undefined : digests.get(module);
    if (digest === undefined || metadata.annotations?.[ANNOTATIONS.moduleDigest] === digest) return [];
    metadata.annotations = { ...metadata.annotations, [ANNOTATIONS.moduleDigest]: digest };
    return [key];
  });
}
