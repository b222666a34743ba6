import type { Definition, Members, Type } from './dsl.js';

/** Members that are named at most. */
const MAX_NAMED = 16;

/**
 * The required members that a value lacks, at any depth, in the order of the definitions: names of the value's own members and JSON pointers of
 * deeper ones, 16 at most. Values of a wrong type are passed over, since another check refuses them.
 */
export function missingMembers(definition: Definition, value: unknown): string[] {
  const missing: string[] = [];
  inDefinition(definition, value, '', missing);
  return missing;
}

function inDefinition(definition: Definition, value: unknown, path: string, missing: string[]): void {
  if (!isObject(value)) return;
  if (definition.kind === 'record') inMembers(definition.members, value, path, missing);
  if (definition.kind === 'tagged') {
    const tag = value[definition.tag];
    const members = typeof tag === 'string' ? own(definition.variants, tag) : undefined;
    if (members) inMembers(members, value, path, missing);
    else if (tag === undefined) add(missing, path, definition.tag);
  }
  if (definition.kind === 'choice')
    for (const [key, chosen] of Object.entries(value)) {
      const type = own(definition.options, key);
      if (type) inType(type, chosen, `${path}/${key}`, missing);
    }
}

function inMembers(members: Members, value: Record<string, unknown>, path: string, missing: string[]): void {
  for (const [name, { mark, type }] of Object.entries(members)) {
    if (missing.length >= MAX_NAMED) return;
    if (Object.hasOwn(value, name)) inType(type, value[name], `${path}/${name}`, missing);
    else if (mark === 'R') add(missing, path, name);
  }
}

function inType(type: Type, value: unknown, path: string, missing: string[]): void {
  if (type.type === 'ref') inDefinition(type.to(), value, path, missing);
  if (type.type === 'list' && Array.isArray(value))
    for (let index = 0; index < value.length && missing.length < MAX_NAMED; index += 1)
      inType(type.of, value[index], `${path}/${index}`, missing);
  if (type.type === 'map' && isObject(value))
    for (const [name, item] of Object.entries(value)) inType(type.of, item, `${path}/${name}`, missing);
}

function add(missing: string[], path: string, name: string): void {
  if (missing.length < MAX_NAMED) missing.push(path === '' ? name : `${path}/${name}`);
}

function own<T>(items: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(items, name) ? items[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
