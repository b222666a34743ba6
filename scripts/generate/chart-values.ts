/** A node of the chart's values.schema.json, as far as its reference needs it. */
interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: boolean | ValueSchema;
  readonly items?: ValueSchema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
}

/** The reference of the chart's values as Markdown: from its schema, with the defaults of values.yaml. */
export function valuesReference(schema: ValueSchema, defaults: unknown): string {
  const rows: string[] = [];
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (name !== 'global') walk(name, member, memberOf(defaults, name), rows);
  }
  const head = [
    '# Chart values',
    '',
    '<!-- Made by scripts/generate.ts from charts/aip-fleet/values.schema.json and values.yaml; do not edit. -->',
    '',
    'The chart refuses a value that is not listed here. `<name>` is a name you choose, `[]` the items of a list.',
    '',
    '| Value | Type | Default | Meaning |',
    '|---|---|---|---|',
  ];
  return `${[...head, ...rows].join('\n')}\n`;
}

function walk(path: string, schema: ValueSchema, standard: unknown, rows: string[]): void {
  const text = (schema.description ?? '').replaceAll('|', '\\|').replace(/<(\w+)>/g, '&lt;$1&gt;');
  rows.push(`| \`${path}\` | ${typeText(schema)} | ${defaultText(schema, standard)} | ${text} |`);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    walk(`${path}.${name}`, member, memberOf(standard, name), rows);
  const { additionalProperties: values, items } = schema;
  for (const [name, member] of Object.entries(items?.properties ?? {}))
    walk(`${path}[].${name}`, member, undefined, rows);
  if (typeof values !== 'object') return;
  for (const [name, member] of Object.entries(values.properties ?? {}))
    walk(`${path}.<name>.${name}`, member, undefined, rows);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function typeText({ type, enum: choices, minimum, maximum, additionalProperties }: ValueSchema): string {
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'object' && typeof additionalProperties === 'object') return 'map';
  const name = type === 'array' ? 'list' : typeof type === 'string' ? type : (type ?? []).join(' or ');
  if (minimum === undefined) return name;
  return maximum === undefined ? `${name}, at least ${minimum}` : `${name}, ${minimum} to ${maximum}`;
}

function defaultText(schema: ValueSchema, standard: unknown): string {
  if (standard === undefined || schema.properties) return '';
  return standard === '' ? 'none' : `\`${JSON.stringify(standard).replaceAll('|', '\\|')}\``;
}
