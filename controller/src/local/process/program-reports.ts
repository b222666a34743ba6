import type { OnNote } from '../state/note.js';
import type { DevEvent } from '../state/published.js';
import { endedText } from './ended-text.js';
import type { Ending } from './supervise.js';

/** What is reported of programs that all instances share: why one ended, once, and that it is ready again. */
export interface ProgramReports {
  ended(name: string, ending: Ending, words: string): void;
  /** Reports `text` unless the same cause was reported of the program since it was ready. */
  say(name: string, text: string, cause: string): void;
  ready(name: string): void;
  /** A file of the data folder was written, or could not be: reported once, and when it is over. */
  wrote(error?: unknown): void;
}

/** Opens the reports of a run. */
export function openProgramReports({
  onNote,
  onEvent,
}: {
  onNote: OnNote;
  onEvent: (event: Omit<DevEvent, 'at' | 'count'>) => void;
}): ProgramReports {
  const causes = new Map<string, string>();
  const say = (name: string, text: string, cause: string): void => {
    onEvent({ type: 'Warning', reason: 'ProgramEnded', instance: name, note: text });
    if (causes.get(name) === cause) return;
    causes.set(name, cause);
    onNote(text);
  };
  let unwritten: string | undefined;
  return {
    say,
    wrote: (error) => {
      const problem = error === undefined ? undefined : error instanceof Error ? error.message : String(error);
      if (problem !== undefined && unwritten === undefined) onNote(problem);
      if (problem === undefined && unwritten !== undefined) onNote('the data folder can be written again', 'good');
      unwritten = problem;
    },
    ended: (name, ending, words) => say(name, endedText(name, ending, words), words),
    ready: (name) => {
      causes.delete(name);
      onEvent({ type: 'Normal', reason: 'ProgramReady', instance: name, note: `${name} answers again` });
      onNote(`${name} answers again`, 'good');
    },
  };
}
