import type { Ending } from './supervise.js';

/** How a program ended: its exit code or the signal. */
export function endingText({ code, signal }: Ending): string {
  return signal ? `signal ${signal}` : `exit code ${code}`;
}

/** What is reported of a program that ended on its own; `words` are the last of its log. A port that another program has is named. */
export function endedText(name: string, ending: Ending, words: string): string {
  const port = /EADDRINUSE.*?:(\d+)/.exec(words)?.[1];
  if (port !== undefined) return `${name} cannot start: another program listens on its port ${port}; end that program`;
  // What is killed says nothing of it.
  const reason = words === '' || ending.signal === 'SIGKILL' ? '' : `: ${words}`;
  return `${name} ended (${endingText(ending)})${reason}; it is started again`;
}
