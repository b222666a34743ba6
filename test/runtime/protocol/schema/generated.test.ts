import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { bodies, signed } from '../support.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const folder = join(root, 'schemas');
const schemas = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));

describe('generated files', () => {
  it('are what the definitions give', () => {
    const run = spawnSync(process.execPath, [join('scripts', 'generate.ts'), '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
  });
});

describe('published schemas', () => {
  const ajv = new Ajv2020({ schemas, strict: true, allowUnionTypes: true });
  const envelope = ajv.getSchema('https://aip.dev/schemas/envelope.schema.json');

  it('F-015 have the draft, an $id of their own, and are closed except for the two open records', () => {
    const ids = new Set(schemas.map(({ $id }) => $id));
    expect(ids.size).toBe(schemas.length);
    const open = schemas.filter(({ properties, additionalProperties }) => properties && additionalProperties !== false);
    expect(open.map(({ title }) => title).sort()).toEqual(['Binding', 'ConnectorRoute']);
    for (const { $schema, $id } of schemas) {
      expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
      expect($id).toMatch(/^https:\/\/aip\.dev\/schemas\/[a-z0-9_]+\.schema\.json$/);
    }
  });

  it('F-015 compile by themselves and accept every signed envelope', () => {
    for (const { text } of signed.envelopes) expect(envelope?.(JSON.parse(text))).toBe(true);
    expect(envelope?.({})).toBe(false);
  });

  it.each(bodies.map((body) => [Object.keys(body)[0] as string, body] as const))(
    'accept the example of %s',
    (_, body) => {
      expect(ajv.getSchema('https://aip.dev/schemas/body.schema.json')?.(body)).toBe(true);
    },
  );
});
