import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/**
 * Writes what is derived from the record definitions in runtime/src/protocol/schema (the TypeScript types, the compiled
 * validators, the published JSON Schemas and the marks of the Python client) and from the resource schemas in controller/src/api (the custom resource
 * definitions, the chart's copy of them and their reference), and the reference of the chart's values. With --check it writes nothing and fails when a file is out of date.
 */

// The definitions are TypeScript sources that name each other with .js, as the compiled package needs it.
registerHooks({
  resolve(specifier, context, next) {
    const ours =
      specifier.startsWith('.') &&
      /\/(runtime\/src\/protocol\/schema|controller\/src\/api)\//.test(context.parentURL ?? '');
    return next(ours ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

const root = join(import.meta.dirname, '..');
const protocol = join(root, 'runtime', 'src', 'protocol');
const published = join(root, 'schemas');

const { BODIES, DEFINITIONS } = await import('../runtime/src/protocol/schema/index.ts');
const { hasSchema, jsonSchemaOf, schemaFile, schemaId } = await import(
  '../runtime/src/protocol/schema/dsl/json-schema.ts'
);
const { typescriptOf } = await import('../runtime/src/protocol/schema/dsl/typescript.ts');
const { RESOURCE_DEFINITIONS } = await import('../controller/src/api/definition/crd.ts');
const { referenceOf } = await import('../controller/src/api/definition/reference.ts');
const { pythonMarks } = await import('./generate/python-marks.ts');
const { valuesReference } = await import('./generate/chart-values.ts');
const { chartDefinitions, definitionFile } = await import('./generate/custom-resource-definitions.ts');
const { Ajv2020 } = await import('ajv/dist/2020.js');
const standalone = (await import('ajv/dist/standalone/index.js')).default;

const definitions = [...DEFINITIONS.values()];
const withSchema = definitions.filter(hasSchema);

/** Code of all validators, one export a definition, without imports of its own. */
function validators(): string {
  const ajv = new Ajv2020({
    code: { source: true, esm: true, lines: true },
    discriminator: true,
    allowUnionTypes: true,
    inlineRefs: false,
  });
  for (const definition of withSchema) {
    const schema = jsonSchemaOf(definition);
    // With the discriminator the validator checks one variant instead of trying all.
    if (definition.kind === 'tagged') schema.discriminator = { propertyName: definition.tag };
    ajv.addSchema(schema);
  }
  const ids = Object.fromEntries(withSchema.map((definition) => [definition.name, schemaId(definition)]));
  const code = (standalone as unknown as typeof standalone.default)(ajv, ids);
  if (/\brequire\(|\bimport /.test(code)) throw new Error('the validators need an import; they must stand alone');
  return `// @ts-nocheck\n// Made by scripts/generate.ts from the definitions in protocol/schema; do not edit.\n${code}\n`;
}

/** A file of the chart, YAML or JSON, as a value. */
function chartFile(name: string): Record<string, unknown> {
  return parse(readFileSync(join(root, 'charts', 'aip-fleet', name), 'utf8')) as Record<string, unknown>;
}

const files = new Map<string, string>([
  [join(protocol, 'generated', 'types.ts'), typescriptOf(definitions)],
  [join(protocol, 'generated', 'validators.ts'), validators()],
  ...withSchema.map((definition): [string, string] => [
    join(published, schemaFile(definition)),
    `${JSON.stringify(jsonSchemaOf(definition), null, 2)}\n`,
  ]),
  [join(root, 'clients', 'python', 'src', 'aip_fleet', 'marks.json'), pythonMarks(DEFINITIONS, BODIES)],
  ...RESOURCE_DEFINITIONS.map((definition): [string, string] => {
    const { name, content } = definitionFile(definition);
    return [join(root, 'crds', name), content];
  }),
  [join(root, 'charts', 'aip-fleet', 'templates', 'crds.yaml'), chartDefinitions(RESOURCE_DEFINITIONS)],
  [join(root, 'docs', 'kubernetes', 'reference.md'), referenceOf(RESOURCE_DEFINITIONS)],
  [
    join(root, 'docs', 'kubernetes', 'values.md'),
    valuesReference(chartFile('values.schema.json'), chartFile('values.yaml')),
  ],
]);

for (const path of files.keys()) mkdirSync(dirname(path), { recursive: true });
const stale = [published, join(root, 'crds')]
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => !files.has(path));

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const changed = [...files].filter(([path, content]) => contentOf(path) !== content);
if (process.argv.includes('--check')) {
  for (const path of [...changed.map(([path]) => path), ...stale]) {
    process.stderr.write(`${path.slice(root.length + 1)} is out of date; run npm run generate\n`);
  }
  process.exitCode = changed.length + stale.length === 0 ? 0 : 1;
} else {
  for (const [path, content] of changed) writeFileSync(path, content);
  for (const path of stale) rmSync(path);
  process.stdout.write(`${changed.length} of ${files.size} files written, ${stale.length} removed\n`);
}
