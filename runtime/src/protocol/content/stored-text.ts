/** A text of a provider that has no meaning here, as the storage keeps it; undefined for none, and for one with a zero character, which no text of PostgreSQL holds. */
export function storedText(text: unknown): string | undefined {
  return typeof text === 'string' && !text.includes('\0') ? text : undefined;
}
