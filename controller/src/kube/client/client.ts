import { openDeadline } from '@aip/runtime/internal/time';
import type { DeleteOptions, Kube, KubeObject, ListOptions, ResourceKind, WatchEvent, WatchOptions } from '../kube.js';
import type { KubeSource } from './credentials.js';
import { KubeConflict, KubeGone, KubeUnavailable } from './errors.js';
import { collectionPath, objectPath, selectorQuery, withQuery } from './paths.js';
import { type KubeAbout, openTransport, type Transport, type TransportHooks } from './transport.js';
import { readWatch } from './watch.js';

/** Who writes, in the API server's field ownership. */
export const FIELD_MANAGER = 'aip-controller';

const PAGE = 500;
/** How each sort of write is sent. */
const WRITES = {
  POST: { method: 'POST', contentType: 'application/json' },
  PUT: { method: 'PUT', contentType: 'application/json' },
  PATCH: { method: 'PATCH', contentType: 'application/merge-patch+json' },
  APPLY: { method: 'PATCH', contentType: 'application/apply-patch+yaml' },
} as const;
/** A watch is asked to end after this time, moved at random up to double, so that those of many processes spread over servers. */
const WATCH_SECONDS = 300;

/** The API server of one source. */
export interface OpenKube extends Kube {
  /** Namespace of the kubeconfig's context, or of the Pod this process runs in; `default` when none is set. */
  readonly namespace: string;
  /** Ends all connections; what is under way fails with KubeUnavailable. */
  close(): Promise<void>;
}

/**
 * Opens the API server that `source` names, `{}` for the same one as kubectl. Nothing is sent yet. Each request, its answer included, has
 * 30 s (`timeoutMs`). Throws KubeConfigInvalid.
 */
export async function openKube(
  source: KubeSource,
  options: { timeoutMs?: number; hooks?: TransportHooks } = {},
): Promise<OpenKube> {
  const transport = await openTransport(source, options);
  return { ...kubeOver(transport), namespace: transport.namespace, close: transport.close };
}

function kubeOver(transport: Transport): Kube {
  const write = async <T>(about: KubeAbout & { verb: keyof typeof WRITES }, path: string, body: object): Promise<T> => {
    const { method, contentType } = WRITES[about.verb];
    return parseAnswer<T>(await transport.call({ about, method, path, body, contentType }));
  };

  const kube: Kube = {
    get: async <T extends KubeObject>(kind: ResourceKind, ref: { namespace?: string | undefined; name: string }) => {
      const about = { verb: 'GET', resource: kind.plural } as const;
      const text = await transport.find({ about, method: 'GET', path: objectPath(kind, ref) });
      return text === undefined ? undefined : parseAnswer<T>(text);
    },

    exists: async (kind, ref) => {
      const about = { verb: 'GET', resource: kind.plural } as const;
      const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
      return (await transport.find({ about, method: 'GET', path: objectPath(kind, ref), accept })) !== undefined;
    },

    list: async <T extends KubeObject>(kind: ResourceKind, options: ListOptions = {}) => {
      try {
        return await listPages<T>(transport, kind, options, PAGE);
      } catch (error) {
        // The first pages are too old for the next one: what remains is to read all at once.
        if (!(error instanceof KubeGone)) throw error;
        return listPages<T>(transport, kind, options, undefined);
      }
    },

    watch: (kind, options) => watchEvents(transport, kind, options),

    create: (kind, object, { strict = false } = {}) => {
      const path = collectionPath(kind, object.metadata.namespace);
      const about = { verb: 'POST', resource: kind.plural } as const;
      const query = { fieldManager: FIELD_MANAGER, ...(strict && { fieldValidation: 'Strict' }) };
      return write(about, withQuery(path, query), typed(kind, object));
    },

    apply: (kind, object, { status = false, manager = FIELD_MANAGER } = {}) => {
      const path = objectPath(kind, object.metadata, status ? 'status' : undefined);
      const query = { fieldManager: manager, force: true };
      const about = { verb: 'APPLY', resource: status ? `${kind.plural}/status` : kind.plural } as const;
      return write(about, withQuery(path, query), withoutManagedFields(typed(kind, object)));
    },

    replace: (kind, object) => {
      const path = objectPath(kind, object.metadata);
      const about = { verb: 'PUT', resource: kind.plural } as const;
      return write(about, withQuery(path, { fieldManager: FIELD_MANAGER }), typed(kind, object));
    },

    merge: (kind, ref, patch) => {
      const about = { verb: 'PATCH', resource: kind.plural } as const;
      return write(about, withQuery(objectPath(kind, ref), { fieldManager: FIELD_MANAGER }), patch);
    },

    delete: async (kind, ref, options = {}) => {
      try {
        const about = { verb: 'DELETE', resource: kind.plural } as const;
        await transport.find({ about, method: 'DELETE', path: objectPath(kind, ref), body: deleteOptions(options) });
      } catch (error) {
        if (!(error instanceof KubeConflict) || options.uid === undefined) throw error;
        // Another uid and a lost race look alike in the answer.
        const now = await kube.get(kind, ref);
        if (now?.metadata.uid === options.uid) throw error;
      }
    },

    podLog: (ref, { container, limitBytes, tailLines }) => {
      const path = objectPath({ apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }, ref, 'log');
      const about = { verb: 'GET', resource: 'pods/log' } as const;
      return transport.call({ about, method: 'GET', path: withQuery(path, { container, limitBytes, tailLines }) });
    },
  };
  return kube;
}

/** The changes of a collection from a version on, until the watch ends or the signal aborts. */
async function* watchEvents<T extends KubeObject>(
  transport: Transport,
  kind: ResourceKind,
  { namespace, resourceVersion, signal, idleMs, ...selectors }: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const ended = openDeadline(signal);
  const path = withQuery(collectionPath(kind, namespace), {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion,
    timeoutSeconds: Math.round(WATCH_SECONDS * (1 + Math.random())),
    ...selectorQuery(selectors),
  });
  try {
    const about = { verb: 'WATCH', resource: kind.plural } as const;
    const body = await transport.stream({ about, method: 'GET', path }, ended.signal);
    yield* readWatch(body, idleMs);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    ended.abort();
    ended.clear();
  }
}

function deleteOptions({ uid, graceSeconds, propagation }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(uid !== undefined && { preconditions: { uid } }),
    ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
    ...(propagation !== undefined && { propagationPolicy: propagation }),
  };
}

async function listPages<T extends KubeObject>(
  transport: Transport,
  kind: ResourceKind,
  { namespace, ...selectors }: ListOptions,
  limit: number | undefined,
): Promise<{ items: T[]; resourceVersion: string }> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const query = { limit, continue: next, ...selectorQuery(selectors) };
    const path = withQuery(collectionPath(kind, namespace), query);
    const about = { verb: 'LIST', resource: kind.plural } as const;
    const page = parseAnswer<ListPage<T>>(await transport.call({ about, method: 'GET', path }));
    // Items of built-in kinds come without these two.
    for (const item of page.items ?? []) items.push(typed(kind, item));
    next = page.metadata.continue;
    if (!next) return { items, resourceVersion: page.metadata.resourceVersion };
  }
}

interface ListPage<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[] | null;
}

function typed<T extends KubeObject>(kind: ResourceKind, object: T): T {
  return { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
}

/** The server refuses an apply that says who owns what. */
function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as KubeObject['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}

function parseAnswer<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new KubeUnavailable(200, 'MalformedAnswer', 'the answer is not valid JSON', { cause: error });
  }
}
