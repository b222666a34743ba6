import { isUtf8 } from 'node:buffer';
import { JsonInvalid } from './errors/classes.js';

/** Deepest nesting of arrays and objects that is read or written: peers stop at the 128th level. */
export const MAX_JSON_DEPTH = 127;

/** A JSON token kept as text; `JSON.stringify` writes it verbatim. */
export interface RawJson {
  readonly rawJSON: string;
}

const rawJson = JSON as typeof JSON & { rawJSON(text: string): RawJson; isRawJSON(value: unknown): value is RawJson };

/** Whether the value is a token kept as text: a number whose meaning a plain JS number would lose. */
export function isRawJson(value: unknown): value is RawJson {
  return rawJson.isRawJSON(value);
}

/**
 * A number for computing: the nearest one where an integer of 64 bits was kept as text. What is written again must be the
 * value itself.
 */
export function toNumber(value: number): number {
  const token: unknown = value;
  return isRawJson(token) ? Number(token.rawJSON) : value;
}

/**
 * Reads JSON without losing anything: a number token that `JSON.stringify` would write differently (`1.0`, `-0`,
 * `1e3`, integers a double cannot hold) becomes a raw JSON object that keeps its text.
 *
 * Throws JsonInvalid: syntax, a name given twice in one object, a lone surrogate, nesting above 128, a number outside
 * the range of a double (`1e400`).
 */
export function parseJson(text: string): unknown {
  // What JSON.stringify writes back unchanged can hide nothing but an escaped lone surrogate, and depth.
  if (!text.includes('\\ud') && !text.includes('\\uD')) {
    const value = parsedOrUndefined(text);
    if (value !== undefined && !deeperThan(value, MAX_JSON_DEPTH) && JSON.stringify(value) === text) return value;
  }
  return new StrictReader(text).document();
}

/** Reads JSON from bytes as `parseJson` does; bytes that are not UTF-8 are refused, never replaced. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new JsonInvalid('the body is not valid JSON: it is not UTF-8');
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** The value with raw numbers as JS numbers, as schema checks need it; the same reference when it holds none. */
export function plainJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isRawJson(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const plain = plainJson(value[i]);
      if (plain !== value[i]) {
        copy ??= value.slice();
        copy[i] = plain;
      }
    }
    return copy ?? value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member !== 'object' || member === null) continue;
    const plain = plainJson(member);
    if (plain !== member) {
      copy ??= { ...value };
      copy[key] = plain;
    }
  }
  return copy ?? value;
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => deeperThan(item, levels - 1));
  for (const key in value) if (deeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be escaped in JSON strings
const PLAIN_STRING = /^[^\\\u0000-\u001f]*$/;
const LITERALS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** A recursive-descent reader for the texts whose meaning the built-in parser would lose or guess. */
class StrictReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail('there is text after the value');
    return value;
  }

  #fail(problem: string): never {
    throw new JsonInvalid(`the body is not valid JSON: ${problem} (at character ${this.#at})`);
  }

  #space(): void {
    let at = this.#at;
    while (isSpace(this.#text.charCodeAt(at))) at++;
    this.#at = at;
  }

  #take(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #value(depth: number): unknown {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') {
      if (depth === MAX_JSON_DEPTH) this.#fail(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
      this.#at++;
      return first === '{' ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    if (first === '"') return this.#string();
    if (first === undefined) return this.#fail('it ends too early');
    if (first === '-' || (first >= '0' && first <= '9')) return this.#number();
    for (const [name, literal] of LITERALS) {
      if (this.#text.startsWith(name, this.#at)) {
        this.#at += name.length;
        return literal;
      }
    }
    return this.#fail('a value is missing or malformed');
  }

  #object(depth: number): unknown {
    const object: Record<string, unknown> = {};
    if (this.#take('}')) return object;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail('a member name is missing');
      const name = this.#string();
      if (Object.hasOwn(object, name)) this.#fail(`the member ${JSON.stringify(name)} is given twice`);
      if (!this.#take(':')) this.#fail('a colon is missing');
      const value = this.#value(depth);
      if (name === '__proto__') Object.defineProperty(object, name, { value, ...OWN });
      else object[name] = value;
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail('a comma or closing brace is missing');
    return object;
  }

  #array(depth: number): unknown {
    const array: unknown[] = [];
    if (this.#take(']')) return array;
    do array.push(this.#value(depth));
    while (this.#take(','));
    if (!this.#take(']')) this.#fail('a comma or closing bracket is missing');
    return array;
  }

  #string(): string {
    const text = this.#text;
    let end = this.#at + 1;
    while (end < text.length && text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    if (end >= text.length) this.#fail('a string is not closed');
    const inner = text.slice(this.#at + 1, end);
    let value: unknown = inner;
    if (!PLAIN_STRING.test(inner)) {
      value = parsedOrUndefined(`"${inner}"`);
      if (typeof value !== 'string') this.#fail('a string holds a bad escape or a raw control character');
    }
    if (!(value as string).isWellFormed()) this.#fail('a string holds a lone surrogate');
    this.#at = end + 1;
    return value as string;
  }

  #number(): number | RawJson {
    NUMBER.lastIndex = this.#at;
    const token = NUMBER.exec(this.#text)?.[0];
    if (token === undefined) return this.#fail('a number is malformed');
    const value = Number(token);
    if (!Number.isFinite(value)) this.#fail('a number is outside the range of a 64-bit float');
    this.#at += token.length;
    return JSON.stringify(value) === token ? value : rawJson.rawJSON(token);
  }
}

const OWN = { configurable: true, enumerable: true, writable: true };
