import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Longest time that loading a module for its fault may take, in ms. */
const TIMEOUT_MS = 10_000;
/** What lets a module find the SDK, as a host does. */
const FIND_SDK = join(
  dirname(createRequire(import.meta.url).resolve('@aip/runtime/package.json')),
  ...['dist', 'connectors', 'find-sdk.js'],
);
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Longest part of a source line that is shown. */
const MOST_SOURCE = 120;

/** Why a module does not load, as `file:line:column: error (source line)`; undefined when it loads. */
export async function moduleFault(module: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const program = `(await import(${quotedUrl(FIND_SDK)})).findSdk(); await import(${quotedUrl(module)}); process.exit(0)`;
  const stderr = await new Promise<string | undefined>((done) => {
    const limits = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env };
    execFile(process.execPath, ['--input-type=module', '-e', program], limits, (error, _stdout, text) =>
      done(error ? text : undefined),
    );
  });
  return stderr === undefined ? undefined : faultIn(stderr);
}

function quotedUrl(file: string): string {
  return JSON.stringify(pathToFileURL(file).href);
}

/** The fault that Node.js printed for an error that nobody caught; undefined when the text holds none. */
export async function faultIn(stderr: string): Promise<string | undefined> {
  const error = /^(?:Uncaught )?((?:[A-Z]\w*)?Error(?: \[[A-Z_]+\])?: .+)$/m.exec(stderr)?.[1];
  if (error === undefined) return undefined;
  const shown = error.replace(/ \[[A-Z_]+\]/, '').replace(/ imported from .+$/, '');
  const place = printedPlace(stderr) ?? (await importPlace(error)) ?? framePlace(stderr);
  if (!place) return shown;
  const source = place.source ?? (await sourceLine(place.file, place.line));
  const column = place.column === undefined ? '' : `:${place.column}`;
  return `${shortPath(place.file)}:${place.line}${column}: ${shown}${source ? ` (${source.trim().slice(0, MOST_SOURCE)})` : ''}`;
}

interface Place {
  file: string;
  line: number;
  column?: number;
  source?: string;
}

/** The place that Node.js prints above an error: `file:line`, the source line, a caret. */
function printedPlace(stderr: string): Place | undefined {
  const found = /^((?:file:\/\/)?\/[^\n]+?):(\d+)\n([^\n]*)\n(?:[^\n]*\n)?( *)\^/m.exec(stderr);
  const [, file = '', line, first = '', indent = ''] = found ?? [];
  if (!found || file.startsWith('node:')) return undefined;
  const source = stderr.split('\n').find((text, at, all) => /^ *\^/.test(all[at + 1] ?? '') && text !== '') ?? first;
  return { file: pathOf(file), line: Number(line), column: indent.length + 1, source };
}

/** A package or file that is missing is named by the file that imports it. */
async function importPlace(error: string): Promise<Place | undefined> {
  const [, missing, importer] = /Cannot find (?:package|module) '([^']+)' imported from (.+)$/.exec(error) ?? [];
  if (missing === undefined || importer === undefined) return undefined;
  const file = pathOf(importer);
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const name = missing.startsWith('/')
    ? (missing
        .split('/')
        .at(-1)
        ?.replace(/\.\w+$/, '') ?? missing)
    : missing;
  const at = lines.findIndex((text) => text.includes(name));
  return at < 0
    ? undefined
    : { file, line: at + 1, column: (lines[at]?.indexOf(name) ?? 0) + 1, source: lines[at] ?? '' };
}

/** The first line of the stack that is in a file of the user's. */
function framePlace(stderr: string): Place | undefined {
  for (const [, file = '', line, column] of stderr.matchAll(
    /^\s+at (?:.*\()?((?:file:\/\/)?\/[^\s()]+?):(\d+):(\d+)\)?$/gm,
  ))
    if (!file.includes('/node_modules/') && !/\/(runtime|controller)\/dist\//.test(file))
      return { file: pathOf(file), line: Number(line), column: Number(column) };
  return undefined;
}

async function sourceLine(file: string, line: number): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n')[line - 1];
}

function pathOf(file: string): string {
  return file.startsWith('file://') ? fileURLToPath(file) : file;
}

/** A path as it is shortest from where `aip dev` was started. */
export function shortPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('../..') ? file : path;
}
