import { AipError } from './errors/aip-error.js';
import { isRawJson, MAX_JSON_DEPTH } from './json.js';

/**
 * The canonical text that signatures and digests are made over (docs/protocol/signing.md#canonical-form): members sorted by code point,
 * arrays in order, no white space, nulls kept, members with value undefined absent. Not RFC 8785.
 *
 * A JS number is written as `JSON.stringify` would put it on the wire and a peer would read it there: an integer of
 * 64 bits as digits, anything else as a float (`0.5`, `1e+16`, `1e-6`). A raw number keeps its class, so `1.0` stays
 * `1.0`. Throws `envelope.decode.invalid` for what JSON cannot carry.
 */
export function canonicalJson(value: unknown): string {
  return write(value, MAX_JSON_DEPTH);
}

/** UTF-8 bytes of the canonical text. */
export function canonicalBytes(value: unknown): Uint8Array {
  return Buffer.from(canonicalJson(value), 'utf8');
}

function write(value: unknown, levels: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      return writeNumber(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return writeToken(value.toString());
    case 'object':
      if (value === null) return 'null';
      if (levels === 0)
        throw new AipError('envelope.decode.invalid', `the value is nested deeper than ${MAX_JSON_DEPTH} levels`);
      return Array.isArray(value) ? writeArray(value, levels - 1) : writeObject(value, levels - 1);
    default:
      throw new AipError('envelope.decode.invalid', `a value of type ${typeof value} has no JSON form`);
  }
}

function writeArray(items: readonly unknown[], levels: number): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) text += (i === 0 ? '' : ',') + write(items[i], levels);
  return `${text}]`;
}

function writeObject(object: object, levels: number): string {
  if (isRawJson(object)) return writeToken(object.rawJSON);
  const members = object as Record<string, unknown>;
  let text = '';
  for (const key of sortedKeys(members)) {
    const value = members[key];
    if (value !== undefined) text += (text === '' ? '{' : ',') + nameText(key) + write(value, levels);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Plain names of members, written with quotes and colon: most objects have the same ones. Bounded, since senders choose names. */
const nameTexts = new Map<string, string>();
const MAX_NAMES = 2048;
const MAX_NAME_LENGTH = 64;

function nameText(name: string): string {
  const known = nameTexts.get(name);
  if (known !== undefined) return known;
  const text = `${writeString(name)}:`;
  if (name.length > MAX_NAME_LENGTH || !PLAIN.test(name)) return text;
  if (nameTexts.size >= MAX_NAMES) nameTexts.clear();
  nameTexts.set(name, text);
  return text;
}

/** A character from the surrogates up, where order by UTF-16 unit and by code point part. */
const HIGH = /[\ud800-\uffff]/;
/** Up to so many keys an insertion is faster than the sort of the engine. */
const MAX_INSERTED = 24;

function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  if (keys.length > MAX_INSERTED) keys.sort();
  else sortInPlace(keys);
  return keys.some((key) => !nameTexts.has(key) && HIGH.test(key)) ? keys.sort(byCodePoint) : keys;
}

function sortInPlace(keys: string[]): void {
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function writeString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new AipError('envelope.decode.invalid', 'a string holds a lone surrogate');
  return JSON.stringify(text);
}

function writeNumber(value: number): string {
  if (Number.isSafeInteger(value)) return value === 0 ? '0' : `${value}`;
  if (!Number.isFinite(value)) throw new AipError('envelope.decode.invalid', `${value} is not a JSON number`);
  return writeToken(JSON.stringify(value));
}

const INTEGER = /^-?\d+$/;

/** Canonical text of a number token. */
function writeToken(token: string): string {
  if (INTEGER.test(token) && token !== '-0') {
    const integer = BigInt(token);
    if (integer >= -(2n ** 63n) && integer < 2n ** 64n) return token;
  }
  const value = Number(token);
  if (!Number.isFinite(value))
    throw new AipError('envelope.decode.invalid', 'a number is outside the range of a 64-bit float');
  return floatText(value);
}

/** A float as the reference's JSON writer prints it: fixed from 1e-5 up to 1e16, an exponent with sign outside. */
function floatText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-5 && magnitude < 1e16) return Number.isInteger(value) ? `${value}.0` : `${value}`;
  return value.toExponential();
}
