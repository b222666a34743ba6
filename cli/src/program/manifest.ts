import { readFileSync } from 'node:fs';

/** One flag of a command as the build wrote it down. */
export interface FlagEntry {
  name: string;
  char?: string;
  type: 'boolean' | 'option';
  description?: string;
  helpValue?: string;
  options?: string[];
  hidden?: boolean;
  required?: boolean;
  allowNo?: boolean;
  helpGroup?: string;
  default?: unknown;
}

/** One command as the build wrote it down; its words are separated by colons in `id`. */
export interface CommandEntry {
  id: string;
  summary?: string;
  description?: string;
  hidden?: boolean;
  args: Record<string, { name: string; description?: string; options?: string[]; required?: boolean }>;
  flags: Record<string, FlagEntry>;
}

/** What the build wrote down of this program. */
export interface CliManifest {
  version: string;
  commands: Record<string, CommandEntry>;
  topics: Record<string, { description?: string }>;
}

/** Reads the command list that the build made, and the topics of the package file. */
export function readManifest(): CliManifest {
  const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as T;
  const { commands } = read<{ commands: CliManifest['commands'] }>('oclif.manifest.json');
  const { version, oclif } = read<{ version: string; oclif: { topics: CliManifest['topics'] } }>('package.json');
  return { version, commands, topics: oclif.topics };
}

/** The words of all commands that are shown, sorted. */
export function commandNames(manifest: CliManifest): string[] {
  return Object.values(manifest.commands)
    .filter(({ hidden }) => !hidden)
    .map(({ id }) => id.replaceAll(':', ' '))
    .sort();
}

/** What the words of a command line name: a command (with how many words), a topic, or nothing. */
export type Named =
  | { kind: 'command'; command: CommandEntry; words: number }
  | { kind: 'topic'; topic: string }
  | { kind: 'nothing'; words: string[] };

/** Finds the command or topic that an argument list begins with; flags end the words. */
export function namedBy(argv: readonly string[], manifest: CliManifest): Named {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = argv.slice(0, end < 0 ? undefined : end);
  for (let count = Math.min(words.length, 4); count > 0; count -= 1) {
    const command = manifest.commands[words.slice(0, count).join(':')];
    if (!command) continue;
    // `aip actions lst` must not become the argument of a command `actions`: only commands that take arguments have any.
    if (words.length > count && Object.keys(command.args).length === 0 && hasSubcommands(command.id, manifest)) break;
    return { kind: 'command', command, words: count };
  }
  const topic = words.join(' ');
  if (words.length > 0 && hasSubcommands(words.join(':'), manifest)) return { kind: 'topic', topic };
  return { kind: 'nothing', words };
}

function hasSubcommands(id: string, manifest: CliManifest): boolean {
  return Object.keys(manifest.commands).some((other) => other.startsWith(`${id}:`));
}
