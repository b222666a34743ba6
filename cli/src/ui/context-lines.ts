import { type AipContext, type Contexts, DEV_CONTEXT } from '../contexts/context.js';
import { paint } from './paint.js';
import { table } from './tables/table.js';

/** A context as it may be shown: the token and the certificates only by where they are. */
export interface ShownContext {
  name: string;
  current: boolean;
  gateway: string;
  tenant?: string;
  token: string;
  ca: string;
  kube?: AipContext['kube'];
}

/** What may be shown of a context. */
export function shownContext(context: AipContext, current: boolean): ShownContext {
  return {
    name: context.name,
    current,
    gateway: context.gateway_url ?? 'port-forward',
    ...(context.tenant === undefined ? {} : { tenant: context.tenant }),
    token: context.token === undefined ? (context.token_file ?? 'none') : 'stored',
    ca: context.ca === undefined ? (context.ca_file ?? 'public roots') : 'stored',
    ...(context.kube ? { kube: context.kube } : {}),
  };
}

/** All contexts, `dev` first. */
export function shownContexts(contexts: Contexts): ShownContext[] {
  const dev: ShownContext = {
    name: DEV_CONTEXT,
    current: contexts.current === undefined,
    gateway: 'the running `aip dev`',
    token: 'its own',
    ca: 'none',
  };
  return [dev, ...contexts.contexts.map((context) => shownContext(context, context.name === contexts.current))];
}

/** The contexts for people; the one in use is marked. */
export function contextTable(contexts: Contexts, width?: number): string {
  return table(
    shownContexts(contexts),
    [
      { title: '', value: (row) => (row.current ? '*' : ''), paint: (text) => paint.good(text) },
      { title: 'NAME', value: (row) => row.name },
      { title: 'GATEWAY', value: (row) => row.gateway, shrink: 'middle' },
      { title: 'TENANT', value: (row) => row.tenant ?? '–', shrink: 'middle', drop: 3 },
      {
        title: 'CLUSTER',
        value: (row) => row.kube?.context ?? (row.kube ? 'current' : '–'),
        shrink: 'middle',
        drop: 2,
      },
      { title: 'NAMESPACE', value: (row) => row.kube?.namespace ?? '–', shrink: 'middle', drop: 4 },
      { title: 'RELEASE', value: (row) => row.kube?.release ?? '–', shrink: 'middle', drop: 5 },
    ],
    width,
  );
}

/** One context, a line a member. */
export function contextLines(context: ShownContext): string[] {
  const rows: [string, string | undefined][] = [
    ['name', `${context.name}${context.current ? paint.good(' (in use)') : ''}`],
    ['gateway', context.gateway],
    ['tenant', context.tenant],
    ['token', context.token],
    ['certificates', context.ca],
    ['kubeconfig', context.kube && (context.kube.kubeconfig ?? 'KUBECONFIG or ~/.kube/config')],
    ['kube context', context.kube && (context.kube.context ?? 'the current one')],
    ['namespace', context.kube?.namespace],
    ['release', context.kube?.release],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`${paint.dim(name.padEnd(14))}${value}`]));
}
