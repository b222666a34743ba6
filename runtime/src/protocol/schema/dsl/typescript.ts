import type { Definition, Member, Members, Type } from './dsl.js';

/** TypeScript source of all definitions: a type each, and the maps from record names and body keys to types. */
export function typescriptOf(definitions: Iterable<Definition>): string {
  const all = [...definitions];
  const records = all.filter(({ kind }) => kind !== 'enum').map(({ name }) => `  ${name}: ${name};`);
  const body = all.find(({ name }) => name === 'Body');
  const keys = body?.kind === 'choice' ? Object.entries(body.options) : [];
  return [
    '// Made by scripts/generate.ts from the definitions in protocol/schema; do not edit.',
    ...all.map(declaration),
    '/** Every record and union by its name. */',
    `export interface RecordTypes {\n${records.join('\n')}\n}`,
    '/** Every body by its key. */',
    `export interface Bodies {\n${keys.map(([key, type]) => `  ${key}: ${typeText(type)};`).join('\n')}\n}`,
    '',
  ].join('\n\n');
}

function declaration(definition: Definition): string {
  const { name, doc } = definition;
  switch (definition.kind) {
    case 'enum':
      return `/** ${doc} */\nexport type ${name} =\n${definition.values.map((value) => `  | '${value}'`).join('\n')};`;
    case 'record': {
      const open = definition.open ? '\n  [member: string]: unknown;' : '';
      return `/** ${doc} */\nexport interface ${name} {\n${membersText(definition.members)}${open}\n}`;
    }
    case 'tagged': {
      const variants = Object.entries(definition.variants).map(([value, members]) => {
        const rest = Object.entries(members).map(([key, member]) => ` ${memberText(key, member)}`);
        return `  | { ${definition.tag}: '${value}';${rest.join('')} }`;
      });
      return `/** ${doc} */\nexport type ${name} =\n${variants.join('\n')};`;
    }
    case 'choice': {
      const options = Object.entries(definition.options).map(([key, type]) => `  | { ${key}: ${typeText(type)} }`);
      return `/** ${doc} */\nexport type ${name} =\n${options.join('\n')};`;
    }
  }
}

function membersText(members: Members): string {
  return Object.entries(members)
    .map(([key, member]) => `  ${memberText(key, member)}`)
    .join('\n');
}

function memberText(key: string, { mark, type }: Member): string {
  const optional = mark === 'R' || mark === 'D' ? '' : '?';
  return `${key}${optional}: ${typeText(type)}${mark === 'N' ? ' | null' : ''};`;
}

function typeText(type: Type): string {
  switch (type.type) {
    case 'string':
    case 'time':
      return 'string';
    case 'bool':
      return 'boolean';
    case 'float':
    case 'uint':
      return 'number';
    case 'opaque':
      return type.typescript;
    case 'object':
      return 'Record<string, unknown>';
    case 'const':
      return `'${type.value}'`;
    case 'lease':
      return 'number[]';
    case 'list':
      return `${typeText(type.of)}[]`;
    case 'map':
      return `Record<string, ${typeText(type.of)}>`;
    case 'ref':
      return type.to().name;
  }
}
