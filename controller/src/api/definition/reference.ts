import { API_VERSION } from '../group.js';
import type { ResourceSchema } from '../json-schema.js';
import { customResourceDefinition, type ResourceDefinition } from './crd.js';

/** The reference of resources as Markdown: every field with its type, bounds, default and meaning, and the rules across fields. */
export function referenceOf(definitions: readonly ResourceDefinition[]): string {
  const intro = [
    '# Resources',
    '',
    '<!-- Made by scripts/generate.ts from controller/src/api; do not edit. -->',
    '',
    `Both are namespaced resources of \`${API_VERSION}\`, category \`aip\`. \`kubectl explain\` tells the same.`,
    'Fields without a default and without "required" may be left out.',
  ];
  return `${[...intro, ...definitions.flatMap(section)].join('\n')}\n`;
}

function section(definition: ResourceDefinition): string[] {
  const { kind, shortName, schema } = definition;
  const rows: string[] = [];
  const rules: string[] = [];
  collectRules('metadata', schema, rules);
  for (const name of ['spec', 'status']) {
    const member = schema.properties[name];
    if (member) walk(name, member, true, rows, rules, true);
  }
  const names = (customResourceDefinition(definition).metadata as { name: string }).name;
  return [
    '',
    `## ${kind} (\`${shortName}\`)`,
    '',
    `${schema.description} \`${names}\``,
    '',
    '| Field | Type | Default | Meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
    'Rules that the API server checks:',
    '',
    ...rules.map((rule) => `- ${rule}`),
    '',
    `Field selectors: ${definition.selectable.map((path) => `\`${path.slice(1)}\``).join(', ')}.`,
  ];
}

function walk(
  path: string,
  schema: ResourceSchema,
  required: boolean,
  rows: string[],
  rules: string[],
  top = false,
): void {
  if (!top)
    rows.push(
      `| \`${path}\` | ${typeText(schema)} | ${defaultText(schema, required)} | ${cell(schema.description ?? '')} |`,
    );
  collectRules(path, schema, rules);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    walk(`${path}.${name}`, member, schema.required?.includes(name) ?? false, rows, rules);
  const { items } = schema;
  for (const [name, member] of Object.entries(items?.properties ?? {}))
    walk(`${path}[].${name}`, member, items?.required?.includes(name) ?? false, rows, rules);
}

function collectRules(path: string, schema: ResourceSchema, rules: string[]): void {
  for (const { message, fieldPath } of schema['x-kubernetes-validations'] ?? [])
    rules.push(`\`${path}${fieldPath ?? ''}\`: ${message}`);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys) rules.push(`\`${path}\`: ${keys.map((key) => `\`${key}\``).join(', ')} is unique in the list`);
}

function typeText(schema: ResourceSchema): string {
  const bounds = [range(schema.minimum, schema.maximum, ''), range(schema.minLength, schema.maxLength, ' characters')];
  const items = range(schema.minItems, schema.maxItems, ' items');
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'array') return `list of ${schema.items?.type ?? 'any'}${items}`;
  if (schema.additionalProperties) return 'map';
  if (schema['x-kubernetes-preserve-unknown-fields']) return 'object, kept as written';
  return `${schema.type ?? 'integer or string'}${bounds.join('')}`;
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `, at least ${least}${unit}`;
  return least === undefined ? `, at most ${most}${unit}` : `, ${least} to ${most}${unit}`;
}

function defaultText(schema: ResourceSchema, required: boolean): string {
  if (required) return 'required';
  if (schema.default === undefined || (schema.properties && schema.type === 'object')) return '';
  return `\`${JSON.stringify(schema.default).replaceAll('"', '')}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/<(\w+)>/g, '&lt;$1&gt;');
}
