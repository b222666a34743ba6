import { watch } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { openWaker, pollLoop } from '@aip/runtime/internal/time';
import { UsageError } from '../client/errors.js';
import { progress } from '../progress/progress.js';
import { isNamed } from './log-filter.js';
import { logLine } from './log-line.js';

/** Bytes of a log's end that are read when no number is given. */
const TAIL_BYTES = 64 * 1024;
/** How often a file is read again beside what the watch of its folder reports, in ms. */
const POLL_MS = 250;

/** What of the logs to show. */
export interface LogRequest {
  /** A program, an instance or a replica; absent: all. */
  name: string | undefined;
  follow: boolean;
  /** Lines of each log's end. */
  tail: number;
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  json: boolean;
}

/** Prints log lines of the programs of an `aip dev`, and with `follow` what comes, until `signal`. Throws UsageError for a name without a log. */
export async function showLogs(
  folder: string,
  request: LogRequest,
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const offsets = new Map<string, number>();
  const show = (program: string, lines: readonly string[]): void => {
    for (const line of lines) {
      const shown = logLine(program, line, request);
      if (shown !== undefined) write(shown);
    }
  };
  for (const program of await programs(folder, request.name)) {
    const { text, size } = await readFrom(join(folder, `${program}.log`), undefined);
    offsets.set(program, size - Buffer.byteLength(partOfLine(text)));
    show(program, wholeLines(text).slice(-request.tail));
  }
  if (!request.follow) return;
  progress.pause();
  const waker = openWaker();
  const watcher = watch(folder, { signal, persistent: false }, waker.wake);
  watcher.on('error', () => undefined);
  const showNew = async (): Promise<void> => {
    for (const program of await programs(folder, request.name).catch(() => [...offsets.keys()])) {
      const file = join(folder, `${program}.log`);
      const from = offsets.get(program) ?? 0;
      const { text, size } = await readFrom(file, size0(from, (await stat(file).catch(() => undefined))?.size));
      offsets.set(program, size - Buffer.byteLength(partOfLine(text)));
      show(program, wholeLines(text));
    }
  };
  await pollLoop(showNew, { signal, everyMs: () => POLL_MS, pause: waker.pause });
}

/** A file that became shorter was begun again. */
function size0(from: number, size: number | undefined): number {
  return size !== undefined && size < from ? 0 : from;
}

async function programs(folder: string, name: string | undefined): Promise<string[]> {
  const all = (await readdir(folder).catch(() => []))
    .filter((file) => file.endsWith('.log'))
    .map((file) => file.slice(0, -'.log'.length))
    .sort();
  if (name === undefined) return all;
  const own = all.filter((program) => isNamed(program, name));
  if (own.length > 0) return own;
  const near = didYouMean(
    similar(
      name,
      all.map((program) => program.replace(/^host-(default\.)?/, '').replace(/-[0-9a-f]{6}-\d+$/, '')),
    ),
  );
  throw new UsageError(`There is no log of ${name}.`, near ?? `There are logs of ${all.join(', ') || 'nothing yet'}.`);
}

async function readFrom(file: string, from: number | undefined): Promise<{ text: string; size: number }> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return { text: '', size: 0 };
  try {
    const { size } = await handle.stat();
    const start = from ?? Math.max(0, size - TAIL_BYTES);
    const length = Math.max(0, size - start);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    // What is cut at its beginning is no line.
    return { text: from === undefined && start > 0 ? text.slice(text.indexOf('\n') + 1) : text, size };
  } finally {
    await handle.close();
  }
}

function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

function partOfLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}
