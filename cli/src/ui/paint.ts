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

/** The colour of a state word of an action or a replica; undefined for those that are written as other text is. */
export function stateColor(state: string): 'green' | 'red' | 'yellow' | 'cyan' | undefined {
  switch (state) {
    case 'completed':
    case 'ready':
      return 'green';
    case 'failed':
    case 'expired':
    case 'dead_lettered':
      return 'red';
    case 'cancelled':
    case 'draining':
    case 'pending_approval':
      return 'yellow';
    case 'running':
    case 'streaming':
      return 'cyan';
    default:
      return undefined;
  }
}

/** A state word in its colour. */
export function paintState(state: string): string {
  const color = stateColor(state);
  return color === undefined ? state : painter(color)(state);
}
