import { digestOf } from '@aip/runtime/internal/signing';
import { ANNOTATIONS } from '../../api/group.js';
import type { LocalState } from '../state/store.js';
import { artifactDigest } from './artifact-digest.js';

/** The connector modules that the desired instances name. */
export function modulesOf(state: LocalState): string[] {
  return Object.values(state.instances).flatMap(({ resource, deleted }) => {
    const module = resource.metadata.annotations?.[ANNOTATIONS.module];
    return module === undefined || deleted ? [] : [module];
  });
}

/**
 * Makes the code of hosts part of what is desired: that of the runtime and of the user's own modules. Gives the keys of the instances for which
 * it changed. A module whose digest is not known keeps the one it has.
 */
export function stampModules(state: LocalState, digests: ReadonlyMap<string, string>, runtime: string): string[] {
  return Object.entries(state.instances).flatMap(([key, record]) => {
    const { metadata, spec } = record.resource;
    if (spec.hosting === 'External') return [];
    const module = metadata.annotations?.[ANNOTATIONS.module];
    const digest = module === undefined ? runtime : digests.get(module);
    if (digest === undefined) return [];
    const code = module === undefined ? runtime : digestOf({ module: digest, runtime });
    if (metadata.annotations?.[ANNOTATIONS.moduleDigest] === code) return [];
    metadata.annotations = { ...metadata.annotations, [ANNOTATIONS.moduleDigest]: code };
    return [key];
  });
}

/** Replicas whose code is no longer on this machine: what was admitted can never run again. */
export function replicasWithoutCode(state: LocalState): string[] {
  return Object.entries(state.replicas).flatMap(([key, { instance, launch }]) => {
    const resource = state.instances[instance]?.resource;
    return resource && launch && launch.artifactDigest !== artifactDigest(resource) ? [key] : [];
  });
}
