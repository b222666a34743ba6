/** Forms of an answer. `text` is for people, `wide` the same without leaving anything out. */
export type OutputFormat = 'text' | 'wide' | 'json' | 'yaml' | 'name';

/** What a command answers: the document, its names, and how people read it. */
export interface Answer {
  document: unknown;
  /** Ids or names, one a line, for `-o name`; default: none to give. */
  names?: () => readonly string[];
  text: (view: { width: number | undefined; wide: boolean }) => string | readonly string[];
}

/** The form that the flags name. */
export function formatOf(flags: { json?: boolean | undefined; output?: string | undefined }): OutputFormat {
  if (flags.json) return 'json';
  return (flags.output as OutputFormat | undefined) ?? 'text';
}

/** The answer in a form, without the last line break. */
export async function rendered(answer: Answer, format: OutputFormat, width: number | undefined): Promise<string> {
  if (format === 'json') return JSON.stringify(answer.document);
  if (format === 'yaml') {
    const { stringify } = await import('yaml');
    return stringify(answer.document, { lineWidth: 0 }).trimEnd();
  }
  if (format === 'name') return (answer.names?.() ?? []).join('\n');
  const wide = format === 'wide';
  const text = answer.text({ width: wide ? undefined : width, wide });
  return typeof text === 'string' ? text : text.join('\n');
}
