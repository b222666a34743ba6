import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { privateDir } from '../../fleet/files.js';

/** A log file that is larger when a run starts is set aside as `<name>.log.1`, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The log files of a run, one a program. */
export interface LogFiles {
  /** A stream that appends to `<name>.log` and, when told so, repeats each line for the terminal. */
  open(name: string): Promise<Writable>;
  path(name: string): string;
  /** Ends all streams and waits until they are written. */
  close(): Promise<void>;
}

/** Opens the log folder; `echo` gets every whole line with its program's name. */
export function openLogFiles(folder: string, echo?: (name: string, line: string) => void): LogFiles {
  const open = new Map<string, { head: Writable; file: WriteStream }>();
  const path = (name: string): string => join(folder, `${name}.log`);
  return {
    path,
    open: async (name) => {
      const before = open.get(name);
      if (before) return before.head;
      await privateDir(folder);
      const size = await stat(path(name)).then(
        (found) => found.size,
        () => 0,
      );
      if (size > MAX_BYTES) await rename(path(name), `${path(name)}.1`);
      const file = createWriteStream(path(name), { flags: 'a', mode: 0o600 });
      file.on('error', () => undefined);
      const head = echo ? echoing(name, echo) : file;
      if (head !== file) head.pipe(file as unknown as NodeJS.WritableStream);
      head.setMaxListeners(0);
      open.set(name, { head, file });
      return head;
    },
    close: async () => {
      await Promise.all(
        [...open.values()].map(
          ({ head, file }) =>
            new Promise<void>((done) => {
              file.once('close', done);
              head.end();
            }),
        ),
      );
    },
  };
}

function echoing(name: string, echo: (name: string, line: string) => void): Transform {
  let rest = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) echo(name, line);
      done(null, chunk);
    },
  });
}
