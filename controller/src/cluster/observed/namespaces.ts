import type { Logger } from '@aip/runtime/internal/program';
import { KINDS } from '../../api/kinds.js';
import { type ChangeListener, type Informer, type InformerHooks, startInformer } from '../../kube/cache/informer.js';
import type { Kube, KubeObject } from '../../kube/kube.js';

/** Copies of the namespaces themselves. */
export interface NamespaceCopies {
  get(name: string): KubeObject | undefined;
  /** Whether a namespace is gone or being deleted; false while that is not known. */
  isLeft(name: string): boolean;
  onChange(listener: ChangeListener<KubeObject>): void;
  readonly informers: readonly Informer<KubeObject>[];
}

/** Follows all namespaces or, with rights in single ones only, one by one. */
export function followNamespaces({
  namespaces,
  ...options
}: {
  kube: Kube;
  namespaces: readonly string[] | 'all';
  log: Logger;
  hooks: InformerHooks;
}): NamespaceCopies {
  const scopes = namespaces === 'all' ? [undefined] : namespaces;
  const informers = scopes.map((name) =>
    startInformer<KubeObject>({
      ...options,
      kind: KINDS.namespace,
      namespaces: 'all',
      fieldSelector: name === undefined ? undefined : `metadata.name=${name}`,
    }),
  );
  let isKnown = false;
  void Promise.all(informers.map(({ synced }) => synced)).then(() => {
    isKnown = true;
  });
  const get = (name: string): KubeObject | undefined =>
    informers.map((copy) => copy.get({ name })).find((found) => found !== undefined);
  return {
    get,
    isLeft: (name) => {
      const found = get(name);
      return isKnown && (!found || found.metadata.deletionTimestamp !== undefined);
    },
    onChange: (listener) => {
      for (const copy of informers) copy.onChange(listener);
    },
    informers,
  };
}
