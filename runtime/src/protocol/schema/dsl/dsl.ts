/**
 * The small language that protocol records are defined in. One definition gives the JSON Schema, the compiled
 * validator, the TypeScript type, the typed decode and the normal form.
 *
 * Marks of a member (docs/protocol/envelope.md#absent-null-default): R required; O optional, null reads as absent and is never written; L list or map,
 * absent when empty; D always written, absent reads as the default; N optional and a null is kept.
 */
export type Type =
  | { readonly type: 'string' | 'time' | 'bool' | 'float' | 'lease' }
  | { readonly type: 'opaque'; readonly typescript: string }
  | { readonly type: 'uint'; readonly bits: 32 | 64 }
  | { readonly type: 'const'; readonly value: string }
  | { readonly type: 'object' }
  | { readonly type: 'list' | 'map'; readonly of: Type }
  | { readonly type: 'ref'; readonly to: () => Definition };

/** How a member may be absent or null. */
export type Mark = 'R' | 'O' | 'L' | 'D' | 'N';

/** A member of an object. */
export interface Member {
  readonly mark: Mark;
  readonly type: Type;
  readonly default?: unknown;
}

/** Members by name, in the order they are written in. */
export type Members = Readonly<Record<string, Member>>;

/** An object with named members; closed unless `open`. */
export interface RecordDefinition {
  readonly kind: 'record';
  readonly name: string;
  readonly doc: string;
  readonly members: Members;
  readonly open: boolean;
}

/** An object whose member `tag` selects which other members it has. */
export interface TaggedDefinition {
  readonly kind: 'tagged';
  readonly name: string;
  readonly doc: string;
  readonly tag: string;
  readonly variants: Readonly<Record<string, Members>>;
}

/** An object with exactly one member, whose name selects the type of its value. */
export interface ChoiceDefinition {
  readonly kind: 'choice';
  readonly name: string;
  readonly doc: string;
  readonly options: Readonly<Record<string, Type>>;
}

/** A closed set of strings. */
export interface EnumDefinition {
  readonly kind: 'enum';
  readonly name: string;
  readonly doc: string;
  readonly values: readonly string[];
}

/** Anything that has a name. */
export type Definition = RecordDefinition | TaggedDefinition | ChoiceDefinition | EnumDefinition;

export const string: Type = { type: 'string' };
/** RFC 3339 with offset; the schema takes any string, the decode does not. */
export const time: Type = { type: 'time' };
export const bool: Type = { type: 'bool' };
export const float: Type = { type: 'float' };
/** Any JSON, not inspected and kept as it came. */
export const opaque: Type = { type: 'opaque', typescript: 'unknown' };
/** As `opaque`, for what is an object in practice: its reader must still check that. */
export const opaqueObject: Type = { type: 'opaque', typescript: 'Record<string, unknown>' };
/** Any JSON object. */
export const object: Type = { type: 'object' };
/** The nine-item lease time. */
export const lease: Type = { type: 'lease' };
export const u32: Type = { type: 'uint', bits: 32 };
export const u64: Type = { type: 'uint', bits: 64 };

/** Exactly this text. */
export const is = (value: string): Type => ({ type: 'const', value });
/** A list of any length. */
export const list = (of: Type | Definition): Type => ({ type: 'list', of: typeOf(of) });
/** An object used as a map. */
export const map = (of: Type | Definition): Type => ({ type: 'map', of: typeOf(of) });
/** A definition that does not exist yet where it is named: recursion. */
export const later = (to: () => Definition): Type => ({ type: 'ref', to });

export const R = (type: Type | Definition): Member => ({ mark: 'R', type: typeOf(type) });
export const O = (type: Type | Definition): Member => ({ mark: 'O', type: typeOf(type) });
export const N = (type: Type | Definition): Member => ({ mark: 'N', type: typeOf(type) });
export const L = (type: Type | Definition): Member => ({ mark: 'L', type: list(type) });
export const D = (type: Type | Definition, value: unknown): Member => ({
  mark: 'D',
  type: typeOf(type),
  default: value,
});
/** A boolean that is always written and false when absent. */
export const flag: Member = D(bool, false);
/** A map of strings that is absent when empty. */
export const stringMap: Member = { mark: 'L', type: map(string) };

/** Defines a closed object. */
export function record(name: string, doc: string, members: Members): RecordDefinition {
  return { kind: 'record', name, doc, members, open: false };
}

/** Defines an object that may have further members. */
export function openRecord(name: string, doc: string, members: Members): RecordDefinition {
  return { kind: 'record', name, doc, members, open: true };
}

/** Defines an object whose member `tag` selects its form. */
export function tagged(name: string, doc: string, tag: string, variants: Record<string, Members>): TaggedDefinition {
  return { kind: 'tagged', name, doc, tag, variants };
}

/** Defines an object with exactly one of the options. */
export function choice(name: string, doc: string, options: Record<string, Type | Definition>): ChoiceDefinition {
  const types = Object.entries(options).map(([key, type]) => [key, typeOf(type)]);
  return { kind: 'choice', name, doc, options: Object.fromEntries(types) };
}

/** Defines an enum; `values` are separated by spaces. */
export function oneOf(name: string, doc: string, values: string): EnumDefinition {
  return { kind: 'enum', name, doc, values: values.split(' ') };
}

function typeOf(type: Type | Definition): Type {
  return 'kind' in type ? { type: 'ref', to: () => type } : type;
}
