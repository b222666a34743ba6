import type { Logger } from '@aip/runtime/internal/program';
import type { Kube, KubeObject, ObjectMeta, ObjectRef, ResourceKind } from '../kube.js';
import { FOLLOW_TIMING, type FollowTiming, type ReflectorHooks, type Sink, startReflector } from './reflector.js';
import { createObjectStore, type IndexFunction, type ObjectStore, refKey } from './store.js';

/** Called when an object appeared (no `before`), changed, or went (no `after`). */
export type ChangeListener<T> = (ref: ObjectRef, before: T | undefined, after: T | undefined) => void;

/** What an informer reports about its work; for metrics. */
export interface InformerHooks extends ReflectorHooks {
  objects?(count: number): void;
}

/** What to follow, and how. */
export interface InformerOptions<T extends KubeObject> {
  kube: Pick<Kube, 'list' | 'watch'>;
  kind: ResourceKind;
  /** `all` needs a cluster-wide right; cluster-wide kinds take `all`. */
  namespaces: readonly string[] | 'all';
  /** Whether a namespace goes or is gone, and the right to read it with it: what is refused there counts as empty. */
  isLeft?: ((namespace: string) => boolean) | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  log: Logger;
  timing?: Partial<FollowTiming>;
  /** Makes objects smaller before they are kept; by default managedFields are dropped. */
  transform?: (object: T) => T;
  indexes?: Readonly<Record<string, IndexFunction<T>>>;
  hooks?: InformerHooks | undefined;
}

/** A copy of the API server's objects of one kind that follows them. Its objects are shared: never change one. */
export interface Informer<T extends KubeObject> extends Pick<ObjectStore<T>, 'get' | 'list' | 'byIndex'> {
  /** Resolves when the first lists have been read. */
  readonly synced: Promise<void>;
  /** Also calls the listener with every object known already; returns a function that ends it. What a listener throws is logged. */
  onChange(listener: ChangeListener<T>): () => void;
  /** Whether the copy is complete and the API server sent something in the last two idle periods. */
  healthy(): boolean;
  /** Ends it; no listener is called after this. */
  stop(): void;
}

/**
 * Follows a kind until it is stopped. Whatever happens to watches, the copy comes to equal the server's state, and listeners receive every
 * difference between what they knew and what is; changes that were undone in between may go unheard.
 */
export function startInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { kube, kind, log, hooks } = options;
  const transform = options.transform ?? withoutManagedFields;
  const timing: FollowTiming = { ...FOLLOW_TIMING, ...options.timing };
  const store = createObjectStore<T>(options.indexes);
  const listeners = new Set<ChangeListener<T>>();

  const tell = (listener: ChangeListener<T>, before: T | undefined, after: T | undefined): void => {
    const { namespace, name } = ((after ?? before) as T).metadata;
    try {
      listener({ namespace, name }, before, after);
    } catch (error) {
      log.error({ err: error, kind: kind.kind, namespace, name }, 'a listener failed');
    }
  };
  const notifyAll = (before: T | undefined, after: T | undefined): void => {
    for (const listener of [...listeners]) tell(listener, before, after);
  };
  const put = (object: T): void => {
    const small = transform(object);
    const before = store.put(small);
    if (before?.metadata.resourceVersion !== small.metadata.resourceVersion) notifyAll(before, small);
  };
  const remove = (last: T): void => {
    if (store.take(last.metadata)) notifyAll(last, undefined);
  };
  const sinkOf = (namespace: string | undefined): Sink<T> => ({
    replace: (items) => {
      const listed = new Set(items.map(({ metadata }) => refKey(metadata)));
      for (const object of store.list()) {
        const { metadata } = object;
        const inScope = namespace === undefined || metadata.namespace === namespace;
        if (inScope && !listed.has(refKey(metadata))) remove(object);
      }
      for (const item of items) put(item);
      hooks?.objects?.(store.size());
    },
    put: (object) => {
      put(object);
      hooks?.objects?.(store.size());
    },
    remove: (object) => {
      remove(transform(object));
      hooks?.objects?.(store.size());
    },
  });

  const scopes = options.namespaces === 'all' ? [undefined] : options.namespaces;
  const reflectors = scopes.map((namespace) =>
    startReflector<T>({
      kube,
      kind,
      which: { namespace, labelSelector: options.labelSelector, fieldSelector: options.fieldSelector },
      isLeft: () => namespace !== undefined && options.isLeft?.(namespace) === true,
      sink: sinkOf(namespace),
      timing,
      log,
      hooks,
    }),
  );
  return {
    get: store.get,
    list: store.list,
    byIndex: store.byIndex,
    synced: Promise.all(reflectors.map((each) => each.synced)).then(() => undefined),
    onChange: (listener) => {
      listeners.add(listener);
      for (const object of store.list()) tell(listener, undefined, object);
      return () => {
        listeners.delete(listener);
      };
    },
    healthy: () =>
      reflectors.every((each) => {
        const heardAt = each.heardAt();
        return heardAt !== undefined && performance.now() - heardAt < 2 * timing.idleMs;
      }),
    stop: () => {
      for (const each of reflectors) each.stop();
      listeners.clear();
    },
  };
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const metadata: ObjectMeta & { managedFields?: unknown } = object.metadata;
  delete metadata.managedFields;
  return object;
}
