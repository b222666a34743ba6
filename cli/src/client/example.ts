import type { Capability } from '@aip/runtime/internal/protocol';
import { quoted } from './quoted.js';

type Schema = Record<string, unknown>;

/** A number with which most calls show something. */
const SMALL_NUMBER = 3;
/** How deep an example goes; deeper parts are left out. */
const DEPTH = 6;

/** A small value that fits a JSON Schema where that can be seen: examples and defaults first, then what type and bounds say. */
export function exampleOf(schema: unknown, name = 'value', root: unknown = schema, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null || depth > DEPTH) return null;
  const node = resolved(schema as Schema, root as Schema);
  const given = [(node.examples as unknown[] | undefined)?.[0], node.default, node.const].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  const [choice] = (node.enum as unknown[] | undefined) ?? [];
  if (choice !== undefined) return choice;
  const [variant] = (node.oneOf ?? node.anyOf ?? []) as unknown[];
  if (variant !== undefined) return exampleOf(variant, name, root, depth + 1);
  const type = Array.isArray(node.type) ? node.type.find((each) => each !== 'null') : node.type;
  if (type === 'object' || node.properties !== undefined) return objectOf(node, root, depth);
  if (type === 'array') {
    const count = Math.min(Number(node.minItems ?? 1) || 1, 3);
    return Array.from({ length: count }, () => exampleOf(node.items ?? {}, name, root, depth + 1));
  }
  if (type === 'integer' || type === 'number') return numberOf(node);
  if (type === 'boolean') return true;
  if (type === 'string') return textOf(node, name);
  return {};
}

/** Required members; the first one of those that are optional when none is required. */
function objectOf(node: Schema, root: unknown, depth: number): Schema {
  const properties = (node.properties ?? {}) as Record<string, unknown>;
  const required = (node.required as string[] | undefined) ?? [];
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, name, root, depth + 1)]));
}

/** A small positive number, or the nearest to it that the bounds let through. */
function numberOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf, type }: Schema): number {
  const step = Number(multipleOf ?? (type === 'integer' ? 1 : 0));
  const gap = type === 'integer' ? 1 : step || 1;
  const [low, high] = [bound(exclusiveMinimum, -Infinity), bound(exclusiveMaximum, Infinity)];
  const least = Math.max(bound(minimum, -Infinity), low + gap);
  const most = Math.min(bound(maximum, Infinity), high - gap);
  if (step === 0 && least > most)
    return (Math.max(low, bound(minimum, low)) + Math.min(high, bound(maximum, high))) / 2;
  const value = Math.min(Math.max(SMALL_NUMBER, least), most);
  if (step === 0) return value;
  const above = Math.ceil(value / step) * step;
  return above <= most ? above : Math.floor(most / step) * step;
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:00:00Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textOf({ format, minLength, maxLength }: Schema, name: string): string {
  const text = FORMATS[String(format)] ?? name;
  return text.padEnd(Number(minLength ?? 0), 'x').slice(0, maxLength === undefined ? undefined : Number(maxLength));
}

function resolved(node: Schema, root: Schema): Schema {
  const path = typeof node.$ref === 'string' && node.$ref.startsWith('#/') ? node.$ref.slice(2).split('/') : undefined;
  if (!path) return node;
  let at: unknown = root;
  for (const part of path) at = (at as Schema | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  return (at as Schema | undefined) ?? {};
}

/** A call of a capability that can be copied: an input made from its schema, and a key where its contract requires one. */
export function exampleCall(capability: Capability): string {
  const { id, input_schema: schema, contract } = capability;
  const input = quoted(JSON.stringify(exampleOf(schema)));
  const key = contract?.idempotency.requirement === 'required' ? ' --idempotency-key example-1' : '';
  const follow = contract?.execution.supports_streaming ? ' --follow' : '';
  return `aip actions submit ${id} --input ${input}${key}${follow}`;
}
