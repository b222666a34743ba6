import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Colours only on a terminal and without NO_COLOR; elsewhere the text as it is. */
function painter(format: Format): (text: string, stream?: NodeJS.WriteStream) => string {
  return (text, stream = process.stdout) => styleText(format, text, { stream, validateStream: true });
}

/** The few styles of the CLI, named by meaning. */
export const paint = {
  good: painter('green'),
  bad: painter('red'),
  warn: painter('yellow'),
  key: painter('cyan'),
  dim: painter('dim'),
  strong: painter('bold'),
};

/** The style of a state word of an action or a replica. */
export function paintState(state: string): string {
  const style: Readonly<Record<string, (text: string) => string>> = {
    completed: paint.good,
    ready: paint.good,
    failed: paint.bad,
    expired: paint.bad,
    dead_lettered: paint.bad,
    cancelled: paint.warn,
    draining: paint.warn,
    pending_approval: paint.warn,
    running: paint.key,
    streaming: paint.key,
  };
  return (style[state] ?? ((text: string) => text))(state);
}
