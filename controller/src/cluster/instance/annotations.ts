import type { ConnectorInstance } from '../../api/connector-instance.js';
import { ANNOTATIONS } from '../../api/group.js';
import { configurationDigest } from '../../api/names.js';
import { FINALIZER } from '../objects/names.js';

/** What the controller notes on an instance itself. */
export interface InstanceAnnotations {
  configRevision: number;
  configDigest: string;
}

/** The marks that an instance should have: the revision rises with each other configuration and is never below the registry's. */
export function instanceAnnotations(instance: ConnectorInstance, registryRevision = 0): InstanceAnnotations {
  const annotations = instance.metadata.annotations ?? {};
  const noted = Number(annotations[ANNOTATIONS.configRevision]) || 0;
  const configDigest = configurationDigest(instance);
  const same = annotations[ANNOTATIONS.configDigest] === configDigest && noted >= Math.max(1, registryRevision);
  return { configRevision: same ? noted : Math.max(noted, registryRevision) + 1, configDigest };
}

/** The merge patch that notes them, with the finalizer; undefined when the instance has them all. */
export function annotationsPatch(
  instance: ConnectorInstance,
  marks: InstanceAnnotations,
  release: string,
): object | undefined {
  const { annotations = {}, finalizers = [], resourceVersion } = instance.metadata;
  const wanted = {
    [ANNOTATIONS.configRevision]: String(marks.configRevision),
    [ANNOTATIONS.configDigest]: marks.configDigest,
    [ANNOTATIONS.release]: release,
  };
  const noted = Object.entries(wanted).every(([name, value]) => annotations[name] === value);
  if (noted && finalizers.includes(FINALIZER)) return undefined;
  return {
    metadata: {
      resourceVersion,
      annotations: wanted,
      finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER],
    },
  };
}
