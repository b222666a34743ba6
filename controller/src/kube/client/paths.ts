import type { ListOptions, ObjectRef, ResourceKind } from '../kube.js';

/** A name as one part of a path. A name that would lead to another path, such as the collection, is a RangeError. */
function part(name: string): string {
  if (name === '' || name === '.' || name === '..') throw new RangeError(`'${name}' is not a valid object name`);
  return encodeURIComponent(name);
}

/** Path of the objects of a kind, in one namespace or, without `namespace`, in all. */
export function collectionPath(kind: ResourceKind, namespace?: string): string {
  const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${part(namespace)}` : '';
  return `${root}${scope}/${kind.plural}`;
}

/** Path of one object, or of its subresource. A RangeError for a namespaced kind without a namespace. */
export function objectPath(kind: ResourceKind, ref: ObjectRef, subresource?: string): string {
  if (kind.namespaced && ref.namespace === undefined)
    throw new RangeError(`${kind.kind} ${ref.name} needs a namespace`);
  const path = `${collectionPath(kind, ref.namespace)}/${part(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** `path` with the members that are set as its query. */
export function withQuery(path: string, query: Record<string, string | number | boolean | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** The query that stands for the selectors of list and watch. */
export function selectorQuery(options: ListOptions): Record<string, string | undefined> {
  return { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
}
