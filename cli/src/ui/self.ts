import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoted } from '../client/quoted.js';

const BIN = fileURLToPath(new URL('../../bin/aip.js', import.meta.url));

let found: string | undefined;

/** How to call this program from the folder where the user is: `aip`, `kubectl aip`, `npx aip`, or node with the path of its file. */
export function selfCommand(env: NodeJS.ProcessEnv = process.env, cwd = process.cwd()): string {
  found ??= isPlugin(process.argv[1]) ? 'kubectl aip' : commandFor(env, cwd, BIN);
  return found;
}

/** Did kubectl call this program as its plugin? */
export function isPlugin(called: string | undefined): boolean {
  return called !== undefined && /^kubectl-aip(\.js)?$/.test(basename(called));
}

/** A command in a text: in backticks, at its beginning or after a colon. The running `aip dev` of a sentence is a name, which is not typed. */
const COMMAND = /(?<!\b(?:[Nn]o|[Tt]he|[Aa]n|[Ii]s|running|[Ww]hat|[Uu]nder) )(`|^|(?<=: ))aip (?=[a-z])/g;

/** The text with every command in it as the user has to type it here. */
export function asTyped(text: string): string {
  return typedAs(text, selfCommand());
}

/** The text with every command in it as one who calls this program by `self` has to type it. Pure. */
export function typedAs(text: string, self: string): string {
  return self === 'aip' ? text : text.replace(COMMAND, (_, before: string) => `${before}${self} `);
}

/** The decision without its memory. `npx` finds only what lies in the project of the folder; elsewhere it would ask a registry. */
export function commandFor(env: NodeJS.ProcessEnv, cwd: string, bin: string): string {
  const project = projectOf(cwd);
  const local = project && join(project, 'node_modules', '.bin', 'aip');
  const installed = (env.PATH ?? '')
    .split(delimiter)
    .filter(
      (folder) => folder !== '' && !folder.endsWith(join('node_modules', '.bin')) && !folder.includes('node-gyp-bin'),
    )
    .map((folder) => join(folder, 'aip'));
  if (installed.some((file) => isSame(file, bin))) return 'aip';
  if (local && isSame(local, bin)) return 'npx aip';
  return `node ${quoted(bin)}`;
}

function projectOf(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules')) || existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function isSame(file: string, bin: string): boolean {
  try {
    return realpathSync(file) === realpathSync(bin);
  } catch {
    return false;
  }
}
