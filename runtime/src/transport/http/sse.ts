/** Comment frame that keeps an idle event stream open; it carries no event. */
export const SSE_KEEP_ALIVE = ': keep-alive\n\n';

/**
 * One server-sent event frame: `event`, `id` when there is one, and one `data` line. `data` is a JSON value, or a string that
 * already is compact JSON. Line ends and NUL inside names and ids become spaces, so that no frame can open another.
 */
export function sseFrame(frame: { event: string; id?: string | undefined; data: unknown }): string {
  const data = typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data);
  const id = frame.id === undefined ? '' : `id: ${oneLine(frame.id)}\n`;
  return `event: ${oneLine(frame.event)}\n${id}data: ${oneLine(data)}\n\n`;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that end a line of the format
  return /[\r\n\u0000]/.test(text) ? text.replace(/[\r\n\u0000]/g, ' ') : text;
}
