import { StartupRefused } from '../process/startup.js';
import { type FileProtection, readProtectedFile } from './protected-file.js';

export { failStart, StartupRefused } from '../process/startup.js';
export { readProtectedFile } from './protected-file.js';

const TRUE_WORDS = ['1', 'true', 'TRUE', 'yes', 'YES'];
const FALSE_WORDS = ['', '0', 'false', 'FALSE', 'no', 'NO'];
const SECRET_BYTES = 16_384;
const PUBLIC_BYTES = 1_048_576;

/** Bounds of a text, in bytes of UTF-8. */
export interface TextRule {
  minBytes?: number;
  maxBytes?: number;
  /** The whole text must match. */
  pattern?: RegExp;
  /** Completes "must be …" when the pattern does not match. */
  form?: string;
}

/** Bounds of a whole number, both included. */
export interface IntRule {
  min?: number;
  max?: number;
}

/** Where a URL setting may point. */
export interface UrlRule {
  /** The exact path, e.g. `/aip/v1/messages`. */
  path?: string;
  /** Allowed schemes; default https alone. */
  schemes?: readonly ('http' | 'https')[];
}

/** Typed reader of environment variables that share a prefix. Every refusal is a StartupRefused that names the variable. */
export interface Env {
  /** Full name of the variable. */
  name(name: string): string;
  /** Whether the variable is set (also to an empty text). */
  given(name: string): boolean;
  /** Names (without prefix) of set variables that begin with `start`. */
  givenWith(start: string): string[];
  text(name: string, rule?: TextRule): string | undefined;
  requiredText(name: string, rule?: TextRule): string;
  int(name: string, fallback: number, rule?: IntRule): number;
  /** True for 1, true, TRUE, yes, YES; false for 0, false, FALSE, no, NO, empty and absent; other words are refused. */
  bool(name: string): boolean;
  /** Items between commas, semicolons or new lines, trimmed, empty ones left out. */
  list(name: string): string[];
  /** An absolute URL without credentials, query or fragment. */
  url(name: string, rule?: UrlRule): URL | undefined;
  /** The trimmed text of the secret file (docs/protocol/host.md#settings) that the variable names. */
  secretFile(name: string, maxBytes?: number): string | undefined;
  /** The trimmed text of the public file (docs/protocol/host.md#settings) that the variable names. */
  publicFile(name: string, maxBytes?: number): string | undefined;
  /** A secret given either as the variable or as the file that `<name>_FILE` names; both at once are refused. */
  secret(name: string, maxBytes?: number): string | undefined;
  /** The value, or a refusal that says the variable is required. */
  required<T>(name: string, value: T | undefined): T;
  /** A refusal of one variable: `refuse('PORT', 'must be free')`. */
  refuse(name: string, why: string): StartupRefused;
}

/** Opens the variables of `source` that begin with `prefix`; refusals carry `code`. */
export function env(
  prefix: string,
  source: Readonly<Record<string, string | undefined>> = process.env,
  code = 'aip.config',
): Env {
  const full = (name: string): string => prefix + name;
  const refuse = (name: string, why: string): StartupRefused => new StartupRefused(code, `${full(name)} ${why}`);
  const raw = (name: string): string | undefined => source[full(name)];

  const text = (name: string, rule: TextRule = {}): string | undefined => {
    const value = raw(name)?.trim();
    if (value === undefined) return undefined;
    const bytes = Buffer.byteLength(value);
    const [min, max] = [rule.minBytes ?? 1, rule.maxBytes ?? PUBLIC_BYTES];
    if (bytes < min || bytes > max) throw refuse(name, `must have ${min} to ${max} bytes`);
    if (rule.pattern && !rule.pattern.test(value)) throw refuse(name, `must be ${rule.form ?? 'of another form'}`);
    return value;
  };

  const file = (name: string, protection: FileProtection, maxBytes: number): string | undefined => {
    const path = text(name);
    if (path === undefined) return undefined;
    try {
      return readProtectedFile(path, protection, maxBytes);
    } catch (error) {
      throw refuse(name, `is refused: ${(error as Error).message}`);
    }
  };

  const required = <T>(name: string, value: T | undefined): T => {
    if (value === undefined) throw refuse(name, 'is required');
    return value;
  };

  return {
    name: full,
    given: (name) => raw(name) !== undefined,
    givenWith: (start) =>
      Object.keys(source)
        .filter((name) => name.startsWith(full(start)) && source[name] !== undefined)
        .map((name) => name.slice(prefix.length)),
    text,
    requiredText: (name, rule) => required(name, text(name, rule)),
    int: (name, fallback, rule = {}) => {
      const value = raw(name)?.trim();
      if (value === undefined) return fallback;
      const [min, max] = [rule.min ?? 0, rule.max ?? Number.MAX_SAFE_INTEGER];
      const number = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= min && number <= max)) throw refuse(name, `must be a whole number from ${min} to ${max}`);
      return number;
    },
    bool: (name) => {
      const value = raw(name)?.trim() ?? '';
      if (TRUE_WORDS.includes(value)) return true;
      if (FALSE_WORDS.includes(value)) return false;
      throw refuse(name, 'must be true or false');
    },
    list: (name) =>
      (raw(name) ?? '')
        .split(/[,;\n]/)
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    url: (name, rule = {}) => {
      const value = text(name);
      if (value === undefined) return undefined;
      const schemes = rule.schemes ?? ['https'];
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (!url || !schemes.some((scheme) => url.protocol === `${scheme}:`)) {
        throw refuse(name, `must be an absolute ${schemes.join(' or ')} URL`);
      }
      if (url.username !== '' || url.password !== '' || /[?#]/.test(value)) {
        throw refuse(name, 'must have no credentials, query or fragment');
      }
      if (rule.path !== undefined && url.pathname !== rule.path) throw refuse(name, `must have the path ${rule.path}`);
      return url;
    },
    secretFile: (name, maxBytes = SECRET_BYTES) => file(name, 'secret', maxBytes),
    publicFile: (name, maxBytes = PUBLIC_BYTES) => file(name, 'public', maxBytes),
    secret: (name, maxBytes = SECRET_BYTES) => {
      const fileName = `${name}_FILE`;
      if (raw(name) !== undefined && raw(fileName) !== undefined) {
        throw refuse(name, `and ${full(fileName)} exclude one another`);
      }
      return text(name, { maxBytes }) ?? file(fileName, 'secret', maxBytes);
    },
    required,
    refuse,
  };
}

/** Host and port of a bind text: `127.0.0.1:8080`, `[::1]:0`. Undefined when it is none. */
export function parseBind(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}

/** Whether a bind host or URL host names this machine alone. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127(?:\.\d{1,3}){3}$/.test(bare);
}
