import type { ConnectorInstance } from '../api/connector-instance.js';
import { ANNOTATIONS } from '../api/group.js';
import { type AdmissionResult, admissionFrom, admissionSource, inlineDescription } from '../fleet/admission.js';
import { describeConnector } from './describe.js';
import { artifactDigest } from './module/artifact-digest.js';
import type { DataPaths } from './state/data-dir.js';
import type { LocalState } from './state/store.js';

/** Describes the connector with a child process (or takes an External instance's inline manifest) and binds it. Never throws: a failure is part of the answer. */
export async function admissionOf(
  instance: ConnectorInstance,
  options: { trustDomain: string; cacheDir: string; env: NodeJS.ProcessEnv },
): Promise<AdmissionResult> {
  const source = admissionSource(instance);
  try {
    const described =
      instance.spec.hosting === 'External' ? inlineDescription(instance) : await describeConnector(instance, options);
    const artifact = instance.spec.connector.artifactDigest ?? artifactDigest(instance);
    const { trustDomain } = options;
    return {
      ok: true,
      source,
      admission: admissionFrom(instance, described, { trustDomain, artifactDigest: artifact }),
    };
  } catch (error) {
    return { ok: false, source, message: error instanceof Error ? error.message : String(error) };
  }
}

/** What the connectors of the instances are described with. */
interface AdmissionContext {
  readonly state: LocalState;
  readonly paths: DataPaths;
  readonly env: NodeJS.ProcessEnv;
  readonly fleet: { readonly trustDomain: string };
}

/** The user's own module of an instance that is wanted. */
function moduleOf({ instances }: LocalState, key: string): string | undefined {
  const record = instances[key];
  return record?.deleted ? undefined : record?.resource.metadata.annotations?.[ANNOTATIONS.module];
}

/** The admissions of the instances of a run. */
export interface Admissions {
  /** By the key of the instance; undefined while its connector, or that of another instance of its module, is being described. */
  of(key: string): AdmissionResult | undefined;
  /** Describes the connectors again that could not be described, one time after another. */
  retry(): void;
}

/** Opens the admissions; `changed` is called when one is there. `underWay` may hold descriptions that have begun already, by their sources. */
export function openAdmissions(
  context: AdmissionContext,
  underWay: Map<string, Promise<AdmissionResult>>,
  changed: () => void,
): Admissions {
  const { state, paths, env, fleet } = context;
  const options = { trustDomain: fleet.trustDomain, cacheDir: paths.cache, env };
  const known = new Map<string, AdmissionResult>();
  let retrying: 'no' | 'yes' | 'again' = 'no';

  const retryOne = async ([key, before]: [string, AdmissionResult]): Promise<void> => {
    const resource = state.instances[key]?.resource;
    if (before.ok || !resource || admissionSource(resource) !== before.source) return;
    const result = await admissionOf(resource, options);
    if (known.get(key) !== before || (!result.ok && result.message === before.message)) return;
    underWay.set(before.source, Promise.resolve(result));
    known.set(key, result);
    changed();
  };
  const retryAll = async (): Promise<void> => {
    retrying = 'yes';
    for (const each of [...known]) await retryOne(each);
    const again = (retrying as string) === 'again';
    retrying = 'no';
    if (again) await retryAll();
  };
  const of = (key: string): AdmissionResult | undefined => {
    const record = state.instances[key];
    if (!record) return undefined;
    const source = admissionSource(record.resource);
    if (known.get(key)?.source === source) return known.get(key);
    const admission = underWay.get(source) ?? admissionOf(record.resource, options);
    underWay.set(source, admission);
    void admission.then((result) => {
      if (known.get(key)?.source === source) return;
      known.set(key, result);
      changed();
    });
    return undefined;
  };
  /** Instances of one module move together: what one of them changes is a conflict with another that is still to be described. */
  const isModuleDescribed = (key: string): boolean => {
    const module = moduleOf(state, key);
    return Object.keys(state.instances)
      .filter((other) => other !== key && module !== undefined && moduleOf(state, other) === module)
      .every((other) => of(other) !== undefined);
  };
  return {
    of: (key) => {
      const found = of(key);
      return isModuleDescribed(key) ? found : undefined;
    },
    retry: () => {
      if (retrying === 'no') void retryAll();
      else retrying = 'again';
    },
  };
}
