import { CursorInvalid, QueryInvalid } from '../../protocol/errors.js';
import { type IdKind, isId, isPlainId, PREFIX } from '../../protocol/ids.js';
import { parseTime } from '../../protocol/time.js';

/** Bytes a cursor may have. */
const MAX_CURSOR_BYTES = 2048;
/** Bytes an identifier may have. */
const MAX_ID_BYTES = 256;
/** The longest wait a caller may request; it is accepted and not waited for (docs/protocol/limits.md). */
export const MAX_WAIT_MS = 30_000;
/** Rows of a page when no number is given, and the bounds a wish is clamped to (docs/protocol/limits.md). */
export const PAGE = { default: 100, min: 1, max: 1000 } as const;

/** Reads one parameter's text; throws QueryInvalid naming the parameter. `schema` says to clients what it takes. */
export type Parameter<T> = ((text: string, name: string) => T | undefined) & { readonly schema?: ParameterSchema };

/** A JSON Schema of a parameter's value. */
export type ParameterSchema = Readonly<Record<string, unknown>>;

function described<T>(schema: ParameterSchema, read: (text: string, name: string) => T | undefined): Parameter<T> {
  return Object.assign(read, { schema });
}

const TEXT: ParameterSchema = { type: 'string', minLength: 1, maxLength: MAX_ID_BYTES };

type Values<S extends Record<string, Parameter<unknown>>> = { [K in keyof S]?: Exclude<ReturnType<S[K]>, undefined> };

/**
 * Reads the query string of `url` by `spec`. A parameter that is unknown or given twice is refused with 400
 * query.invalid naming it (D-06); so is a value that its reader refuses.
 */
export function readQuery<S extends Record<string, Parameter<unknown>>>(url: string, spec: S): Values<S> {
  const at = url.indexOf('?');
  const values: Record<string, unknown> = {};
  if (at < 0) return values as Values<S>;
  const seen = new Set<string>();
  for (const [name, text] of new URLSearchParams(url.slice(at + 1))) {
    const read = Object.hasOwn(spec, name) ? spec[name] : undefined;
    if (!read) throw refused(name, `${printable(name)} is not a parameter of this route, which takes ${namesOf(spec)}`);
    if (seen.has(name)) throw refused(name, `${name} was given twice; give it once`);
    seen.add(name);
    const value = read(text, name);
    if (value !== undefined) values[name] = value;
  }
  return values as Values<S>;
}

/** What to say of a text that should be an id of a kind. */
export function idExpected(name: string, kind: IdKind): string {
  return `${name} is not a valid ${kind} id (expected ${PREFIX[kind]} and at most ${MAX_ID_BYTES} bytes in all)`;
}

function namesOf(spec: Record<string, unknown>): string {
  const names = Object.keys(spec);
  return names.length === 0 ? 'none' : names.join(', ');
}

/** Free text that names something: 1 to 256 bytes after decoding, no control characters (D-10). */
export const identifier: Parameter<string> = described(TEXT, (text, name) => {
  if (!isPlainId(text)) throw refused(name, `${name} must be 1 to 256 bytes of text without control characters`);
  return text;
});

/** Free text of 1 to `maxBytes` bytes without control characters. */
export function freeText(maxBytes: number): Parameter<string> {
  return described({ type: 'string', minLength: 1, maxLength: maxBytes }, (text, name) => {
    const bytes = Buffer.byteLength(text);
    if (bytes < 1 || bytes > maxBytes || /\p{Cc}/u.test(text))
      throw refused(name, `${name} must be 1 to ${maxBytes} bytes of text without control characters`);
    return text;
  });
}

/** As freeText; an empty text counts as absent. */
export function optionalText(maxBytes: number): Parameter<string> {
  const filled = freeText(maxBytes);
  return described({ type: 'string', maxLength: maxBytes }, (text, name) =>
    text === '' ? undefined : filled(text, name),
  );
}

/** An id with a documented prefix, such as act_ (docs/protocol/envelope.md#identifiers). */
export function typedId(kind: IdKind): Parameter<string> {
  return described({ ...TEXT, pattern: `^${PREFIX[kind]}.+` }, (text, name) => {
    if (!isId(kind, text)) throw refused(name, idExpected(name, kind));
    return text;
  });
}

/** One of the listed words. */
export function word<W extends string>(words: readonly W[]): Parameter<W> {
  return described({ type: 'string', enum: words }, (text, name) => {
    const found = words.find((each) => each === text);
    if (found === undefined) throw refused(name, `${name} must be one of: ${words.join(', ')}`);
    return found;
  });
}

/** A list split at commas, trimmed, without empty items; every item through `item`. An empty list counts as absent. */
export function list<T>(item: Parameter<T>): Parameter<T[]> {
  return described({ type: 'array', items: item.schema ?? { type: 'string' } }, (text, name) => {
    const items = text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map((each) => item(each, name) as T);
    return items.length === 0 ? undefined : items;
  });
}

/** `true` or `false`. */
export const flag: Parameter<boolean> = described({ type: 'boolean' }, (text, name) => {
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw refused(name, `${name} must be true or false`);
});

/** A flag whose empty value counts as absent: the form that manifest filters take. */
export const optionalFlag: Parameter<boolean> = described({ type: 'boolean' }, (text, name) =>
  text === '' ? undefined : flag(text, name),
);

/** A whole number of rows, clamped to 1 through `max`. */
export function rowsUpTo(max: number, byDefault: number): Parameter<number> {
  const description = `Rows of a page, clamped to 1 through ${max}.`;
  return described({ type: 'integer', default: byDefault, description }, (text, name) =>
    Math.min(max, Math.max(PAGE.min, whole(text, name))),
  );
}

/** A whole number of rows, clamped to 1 through 1000. */
export const rows: Parameter<number> = rowsUpTo(PAGE.max, PAGE.default);

/** Milliseconds of 0 through 30000 (D-07). */
export const waitMs: Parameter<number> = described(
  { type: 'integer', minimum: 0, maximum: MAX_WAIT_MS, description: 'Accepted, and not waited for.' },
  (text, name) => {
    const value = whole(text, name);
    if (value < 0 || value > MAX_WAIT_MS) throw refused(name, `${name} must lie between 0 and ${MAX_WAIT_MS}`);
    return value;
  },
);

/** An RFC 3339 time with Z or an offset. */
export const time: Parameter<string> = described({ type: 'string', format: 'date-time' }, (text, name) => {
  try {
    parseTime(text);
    return text;
  } catch (error) {
    throw refused(name, `${name}: ${(error as Error).message}`);
  }
});

/** An opaque cursor. Its form is checked by the operation that issued it. */
export const cursorText: Parameter<string> = described(
  { type: 'string', maxLength: MAX_CURSOR_BYTES, description: 'A cursor of this route and caller.' },
  (text, name) => {
    if (Buffer.byteLength(text) > MAX_CURSOR_BYTES) throw new CursorInvalid(`${name} is too long`);
    return text;
  },
);

/** Checks one identifier of a path (D-10): throws QueryInvalid. */
export function pathId(text: string, name: string, kind?: IdKind): string {
  const value = kind === undefined ? identifier(text, name) : typedId(kind)(text, name);
  return value as string;
}

function whole(text: string, name: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw refused(name, `${name} must be a whole number`);
  return Number(text);
}

function refused(name: string, message: string): QueryInvalid {
  return new QueryInvalid(message, { details: { parameter: printable(name) } });
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 64)).slice(1, -1);
}
