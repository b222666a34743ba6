import type { Event, ProtocolError, StreamChunk } from '@aip/runtime/internal/protocol';

/** What a chunk says, on one line. */
export function chunkText(chunk: StreamChunk): string {
  const part = chunk.part as { type?: string; text?: string } | undefined;
  if (part?.type === 'text' && typeof part.text === 'string') return oneLine(part.text);
  if (chunk.data === undefined) return '';
  return typeof chunk.data === 'string' ? oneLine(chunk.data) : compact(chunk.data);
}

/** What an event says beyond its kind: its data without the ids that every line repeats. */
export function eventText(event: Event): string {
  if (typeof event.data !== 'object' || event.data === null) return '';
  const { action_id: _, ...rest } = event.data as Record<string, unknown>;
  return Object.entries(rest)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? oneLine(value) : compact(value)}`)
    .join(' ');
}

/** What an error names as wrong in the input, one text each: the place, then the problem. */
export function violationTexts({ details }: ProtocolError): string[] {
  const { violations } = (details ?? {}) as { violations?: { path?: string; message?: string }[] };
  if (!Array.isArray(violations)) return [];
  return violations.map(({ path, message }) => `input${path ?? ''} ${message ?? 'is wrong'}`);
}

/** JSON of any value on one line, cut at 400 characters. */
export function compact(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 400 ? `${text.slice(0, 399)}…` : text;
}

/** The end of a did:key, which is what differs. */
export function shortDid(did: string): string {
  return did.length > 20 ? `…${did.slice(-8)}` : did;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A URL without its password. */
export function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  return shown.href;
}
