import { writePrivate } from '../../fleet/files.js';
import type { DevInfo } from '../state/data-dir.js';

/** Keeps dev.json as it is now. */
export interface InfoFile {
  /** Writes what has changed, after all earlier writes; a full disk must not end the fleet. */
  publish(): Promise<void>;
  /** Resolves when nothing is being written any more. */
  flush(): Promise<void>;
}

/** Opens the file of a fleet that ends with `signal`. A change that was written is passed to what `changed` gave when it was noticed. */
export function openInfoFile(
  file: string,
  options: {
    read: () => DevInfo;
    changed: () => ((info: DevInfo) => void) | undefined;
    wrote: (error?: unknown) => void;
    signal: AbortSignal;
  },
): InfoFile {
  let written = '';
  let writing = Promise.resolve();
  return {
    publish: () => {
      const info = options.read();
      const text = `${JSON.stringify(info)}\n`;
      if (text === written || options.signal.aborted) return writing;
      written = text;
      writing = writing.then(() => writePrivate(file, text)).then(() => options.wrote(), options.wrote);
      const changed = options.changed();
      if (changed) void writing.then(() => changed(info));
      return writing;
    },
    flush: () => writing,
  };
}
