import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Envelope } from '#runtime/protocol/envelope.js';
import type { Definition, Type } from '#runtime/protocol/schema/dsl/dsl.js';
import { type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';

/** A signed value as it stands on the wire, with length and hash of the bytes that its signature is over. */
export interface SignedVector {
  name: string;
  bytes: number;
  sha256: string;
  text: string;
  digest?: string;
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'vectors', name), 'utf8')) as T;
}

export const signed = read<{
  seeds: Record<string, string>;
  envelopes: SignedVector[];
  lifecycle: SignedVector[];
}>('signed.json');

/** Bodies, one example a record, in normal form except for defaulted members. */
export const bodies = read<Record<string, Record<string, unknown>>[]>('bodies.json');

/** Public edge cases of Ed25519: https://github.com/novifinancial/ed25519-speccheck ("Taming the many EdDSAs"). */
export const speccheck = read<{ message: string; publicKey: string; signature: string }[]>('ed25519-speccheck.json');

/** The key of a vector's signer. */
export function keyOf(did: string): SigningKey {
  return signingKeyFromSeed(signed.seeds[did] ?? '');
}

export const central = keyOf('did:key:z6MkgAnvkP45uNxwCKeNdt6wrYkEjpYX4f7Nrd8MQqFL8Fbn');
export const host = keyOf('did:key:z6MkmghdggH9iwAwmMypZmN9EsfPGwsbvmum2HkFWXVzrAeE');

/** 2026-07-09T00:00:00.25Z */
export const NOW = Date.UTC(2026, 6, 9, 0, 0, 0, 250);
export const clock = () => NOW;

/** An unsigned envelope around a body, in normal form. */
export function envelopeOf(message_type: string, body: Record<string, unknown>): Record<string, unknown> {
  return { aip_version: '1.0', message_type, message_id: 'msg_1', sent_at: '2026-07-09T00:00:00.25Z', body };
}

/** A deep copy to change in a test. */
export function copy<T>(value: T): T {
  return structuredClone(value);
}

/** A value of a definition: only its required members, or all of them. */
export function sampleOf(definition: Definition, all: boolean, variant?: string): unknown {
  switch (definition.kind) {
    case 'enum':
      return definition.values[0];
    case 'record':
      return membersOf(definition.members, all);
    case 'tagged': {
      const tag = variant ?? (Object.keys(definition.variants).at(-1) as string);
      return { [definition.tag]: tag, ...membersOf(definition.variants[tag] ?? {}, all) };
    }
    case 'choice': {
      const key = variant ?? (Object.keys(definition.options)[0] as string);
      return { [key]: sampleValue(definition.options[key] as Type, all) };
    }
  }
}

function membersOf(members: Readonly<Record<string, { mark: string; type: Type }>>, all: boolean) {
  const entries = Object.entries(members).filter(([, { mark }]) => all || mark === 'R');
  return Object.fromEntries(entries.map(([name, { type }]) => [name, sampleValue(type, all)]));
}

function sampleValue(type: Type, all: boolean): unknown {
  switch (type.type) {
    case 'string':
      return 'text';
    case 'time':
      return '2026-07-09T00:00:00.25Z';
    case 'bool':
      return true;
    case 'float':
      return 0.5;
    case 'opaque':
      return { null: null, list: [], one: 1 };
    case 'object':
      return {};
    case 'uint':
      return 7;
    case 'const':
      return type.value;
    case 'lease':
      return [2026, 190, 0, 0, 30, 310000000, 0, 0, 0];
    case 'list':
      return [sampleValue(type.of, false)];
    case 'map':
      return { key: sampleValue(type.of, false) };
    case 'ref':
      return sampleOf(type.to(), all);
  }
}

export type { Envelope };
