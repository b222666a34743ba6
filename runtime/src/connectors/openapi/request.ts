import type { Parameter } from './operation.js';

/** The input of an operation, as its schema has it. */
export interface OperationInput {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  header?: Record<string, unknown>;
  body?: unknown;
}

/** Path, query and headers of a request; `problem` for values that cannot be sent. */
export type BuiltRequest = { target: string; headers: Record<string, string> } | { problem: string };

/** Builds a request below `basePath`. Values never leave their place: they are percent-encoded, and a segment is never `.` or `..`. */
export function buildRequest(
  basePath: string,
  template: string,
  parameters: readonly Parameter[],
  input: OperationInput,
): BuiltRequest {
  const search = new URLSearchParams();
  const headers: Record<string, string> = {};
  const segments = new Map<string, string>();
  for (const { name, in: place } of parameters) {
    const value = input[place]?.[name];
    if (value === undefined) continue;
    if (place === 'query') for (const item of Array.isArray(value) ? value : [value]) search.append(name, textOf(item));
    else if (place === 'path') segments.set(name, joined(value));
    else headers[name.toLowerCase()] = joined(value);
  }
  for (const [name, text] of segments)
    if (text === '' || text === '.' || text === '..')
      return { problem: `path.${name} must not be ${JSON.stringify(text)}` };
  for (const [name, text] of Object.entries(headers))
    if (!/^[\x20-\x7e]{0,8192}$/.test(text)) return { problem: `header.${name} must be printable ASCII` };
  const path = template.replace(/\{([^}]+)\}/g, (_whole, name: string) => encodeURIComponent(segments.get(name) ?? ''));
  const query = search.toString();
  return { target: `${basePath}${path}${query === '' ? '' : `?${query}`}`, headers };
}

function joined(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join(',') : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
