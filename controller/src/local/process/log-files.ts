import { appendFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { privateDir } from '../../fleet/files.js';

/** A log file that is larger when a run starts is set aside as `<name>.log.1`, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Longest part of a line that is remembered, in characters. */
const MOST_WORDS = 2000;

/** Levels of lines that may say why a program ended. */
const ENDING_LEVELS: ReadonlySet<string> = new Set(['error', 'fatal']);

/** The log files of a run, one a program. */
export interface LogFiles {
  /** A stream that appends to `<name>.log` and repeats each whole line for the terminal. */
  open(name: string): Promise<Writable>;
  path(name: string): string;
  /** What the program's last line said of its end: the message of a JSON line of an error, else a line that is not JSON; nothing for any other. Known on a full disk too. */
  lastWords(name: string): string;
  /** Ends all streams and waits until they are written. */
  close(): Promise<void>;
}

/** Opens the log folder; `echo` gets every whole line with its program's name. What cannot be written is dropped: a full disk must stop no program. */
export function openLogFiles(folder: string, echo: (name: string, line: string) => void = () => undefined): LogFiles {
  const open = new Map<string, Writable>();
  const last = new Map<string, string>();
  const path = (name: string): string => join(folder, `${name}.log`);
  const read = (name: string, line: string): void => {
    if (line.trim() !== '') last.set(name, line.slice(0, MOST_WORDS));
    echo(name, line);
  };
  return {
    path,
    open: async (name) => {
      const before = open.get(name);
      if (before) return before;
      await privateDir(folder);
      const size = await stat(path(name)).then(
        (found) => found.size,
        () => 0,
      );
      if (size > MAX_BYTES) await rename(path(name), `${path(name)}.1`);
      const stream = open.get(name) ?? appending(path(name), (line) => read(name, line));
      stream.setMaxListeners(0);
      open.set(name, stream);
      return stream;
    },
    lastWords: (name) => wordsOf(last.get(name) ?? ''),
    close: async () => {
      await Promise.all([...open.values()].map((stream) => new Promise<void>((done) => stream.end(done))));
    },
  };
}

function appending(file: string, read: (line: string) => void): Writable {
  let rest = '';
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_BYTES);
      for (const line of lines) read(line);
      appendFile(file, chunk, { mode: 0o600 }).then(
        () => done(),
        () => done(),
      );
    },
  });
}

function wordsOf(line: string): string {
  try {
    const { level, message, msg, code } = JSON.parse(line) as Record<
      'level' | 'message' | 'msg' | 'code',
      string | undefined
    >;
    if (level !== undefined && !ENDING_LEVELS.has(level)) return '';
    return [message ?? msg, code ? `(${code})` : ''].filter(Boolean).join(' ');
  } catch {
    return line;
  }
}
