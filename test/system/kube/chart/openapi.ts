import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { run } from '../../../../tools/kube-cluster/process/command.ts';
import { VERSIONS } from '../../../../tools/kube-cluster/programs/versions.ts';
import type { Rendered } from './render.ts';

/** One patch release of each minor that the chart is checked against. */
export const KUBERNETES_VERSIONS = [VERSIONS.kubernetes, '1.35.3', '1.34.3'] as const;

interface Definition {
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
  [member: string]: unknown;
}

/**
 * Checks objects against the OpenAPI document of a Kubernetes release, which lies in its Go module: types, required and unknown members. The
 * answer lists what is wrong; undefined for a kind that Kubernetes does not have.
 */
export async function openApiCheck(version: string): Promise<(object: Rendered) => string[] | undefined> {
  const module = JSON.parse(await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`])) as {
    Dir: string;
  };
  const file = join(module.Dir, 'api', 'openapi-spec', 'swagger.json');
  const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Record<string, Definition> };
  const names = new Map<string, string>();
  for (const [name, definition] of Object.entries(definitions))
    for (const { group, version: of, kind } of definition['x-kubernetes-group-version-kind'] ?? [])
      names.set(`${group === '' ? of : `${group}/${of}`} ${kind}`, name);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false });
  ajv.addSchema({ $id: 'kubernetes', definitions: closed(definitions) });
  const compiled = new Map<string, ValidateFunction>();
  return (object) => {
    const name = names.get(`${object.apiVersion} ${object.kind}`);
    if (name === undefined) return undefined;
    let check = compiled.get(name);
    if (!check) {
      check = ajv.compile({ $ref: `kubernetes#/definitions/${name}` });
      compiled.set(name, check);
    }
    if (check(object)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** The definitions with unknown members refused, and with the two types that OpenAPI cannot say. */
function closed(definitions: Record<string, Definition>): Record<string, unknown> {
  const entries = Object.entries(definitions).map(([name, definition]): [string, unknown] => {
    if (/\.(Quantity|IntOrString)$/.test(name)) return [name, { type: ['string', 'integer', 'number'] }];
    if (name.endsWith('.JSONSchemaProps')) return [name, definition];
    return [name, definition.properties ? { ...definition, additionalProperties: false } : definition];
  });
  return Object.fromEntries(entries);
}
