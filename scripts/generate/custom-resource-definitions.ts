import { stringify } from 'yaml';
import type { ResourceDefinition } from '../../controller/src/api/definition/crd.ts';
import { customResourceDefinition } from '../../controller/src/api/definition/crd.ts';

const HEAD = '# Made by scripts/generate.ts from controller/src/api; do not edit.\n';

const yaml = (value: unknown): string => stringify(value, { lineWidth: 120, aliasDuplicateObjects: false });

/** The definition of one resource as `kubectl apply` takes it. */
export function definitionFile(definition: ResourceDefinition): { name: string; content: string } {
  const crd = customResourceDefinition(definition);
  return { name: `${(crd.metadata as { name: string }).name}.yaml`, content: `${HEAD}---\n${yaml(crd)}` };
}

/** All definitions as one chart template: under `crds.enabled`, and kept on uninstall under `crds.keep`. */
export function chartDefinitions(definitions: readonly ResourceDefinition[]): string {
  const documents = definitions.map((definition) => {
    const { metadata, ...crd } = customResourceDefinition(definition);
    const { name } = metadata as { name: string };
    const body = yaml(crd);
    if (body.includes('{{')) throw new Error(`the definition of ${definition.kind} has {{, which a template would run`);
    const [apiVersion, kind, ...rest] = body.split('\n');
    const meta = [
      'metadata:',
      `  name: ${name}`,
      '  labels:',
      '    {{- include "aip-fleet.labels" . | nindent 4 }}',
      '  {{- if .Values.crds.keep }}',
      '  annotations:',
      '    helm.sh/resource-policy: keep',
      '  {{- end }}',
    ];
    return ['---', apiVersion, kind, ...meta, ...rest].join('\n');
  });
  return `{{- /* Made by scripts/generate.ts from controller/src/api; do not edit. */}}\n{{- if .Values.crds.enabled }}\n${documents.join('')}{{- end }}\n`;
}
