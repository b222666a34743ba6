import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { ensureTools } from '../../../../tools/kube-cluster/programs/tools.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** Folder of the chart. */
export const CHART = join(root, 'charts', 'aip-fleet');
/** Namespace and name of every rendered release. */
export const RELEASE = { name: 'aip', namespace: 'aip-system', prefix: 'aip' } as const;
/** Complete sets of values, by file name. */
export const EXAMPLES = readdirSync(join(CHART, 'examples')).sort();

/** An object as the chart gives it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: objects of any kind
  readonly [member: string]: any;
}

/** What the chart is rendered with: an example's file name, and `--set-json` values by path. */
export interface Values {
  readonly example?: string;
  readonly set?: Readonly<Record<string, unknown>>;
}

/** The command line flags of values. */
export function valueFlags({ example, set = {} }: Values): string[] {
  const file = example === undefined ? [] : ['--values', join(CHART, 'examples', example)];
  return [
    ...file,
    ...Object.entries(set).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]),
  ];
}

/** Runs helm. Throws CommandFailed with what it says. */
export async function helm(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { helm: path } = await ensureTools(['helm']);
  return run(path, args, { env });
}

/** Every object of the chart with these values. Throws CommandFailed with what helm says. */
export async function render(values: Values): Promise<Rendered[]> {
  const text = await helm(['template', RELEASE.name, CHART, '--namespace', RELEASE.namespace, ...valueFlags(values)]);
  return objectsOf(text);
}

/** The objects of a stream of YAML documents. */
export function objectsOf(text: string): Rendered[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`helm gave no YAML: ${document.errors[0]?.message}`);
    const value: unknown = document.toJS();
    return value === null || value === undefined ? [] : [value as Rendered];
  });
}

/** The one object of a kind whose name ends so. Throws when there is none or more than one. */
export function only(objects: readonly Rendered[], kind: string, ending = ''): Rendered {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name.endsWith(ending));
  if (found.length !== 1) throw new Error(`${found.length} objects of kind ${kind} with a name that ends in ${ending}`);
  return found[0] as Rendered;
}

/** Pod templates of the rendered objects, and the Pods themselves, by the name of their object. */
export function podSpecs(objects: readonly Rendered[]): [string, Rendered['spec']][] {
  return objects.flatMap((object): [string, Rendered['spec']][] => {
    if (object.kind === 'Pod') return [[object.metadata.name, object.spec]];
    const spec = (object.spec?.jobTemplate ?? object).spec?.template?.spec;
    return spec ? [[object.metadata.name, spec]] : [];
  });
}
