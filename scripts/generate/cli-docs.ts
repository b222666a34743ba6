import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** The reference that is written. */
export const COMMANDS_FILE = join(ROOT, 'docs', 'commands.md');

interface Flag {
  name: string;
  char?: string;
  type: 'boolean' | 'option';
  description?: string;
  helpValue?: string;
  options?: string[];
  default?: unknown;
  required?: boolean;
  hidden?: boolean;
  allowNo?: boolean;
  helpGroup?: string;
}

interface Command {
  id: string;
  summary?: string;
  description?: string;
  examples?: string[];
  hidden?: boolean;
  args: Record<string, { name: string; description?: string; options?: string[]; required?: boolean }>;
  flags: Record<string, Flag>;
}

/** The reference of all commands, from what the build wrote down of them. */
export function commandReference(): string {
  const { commands } = JSON.parse(readFileSync(join(ROOT, 'cli', 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, Command>;
  };
  const shown = Object.values(commands)
    .filter(({ hidden }) => !hidden)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const contents = shown.map(
    ({ id, summary }) => `| [\`aip ${words(id)}\`](#aip-${id.replaceAll(':', '-')}) | ${cell(summary)} |`,
  );
  return `${[
    '# Command reference',
    '',
    'Made from the commands by the build; do not edit. [cli.md](cli.md) explains contexts, exit codes and what the client promises.',
    '',
    '| Command | What it does |',
    '|---|---|',
    ...contents,
    '',
    ...sharedFlags(shown),
    ...shown.flatMap(section),
  ].join('\n')}\n`;
}

/** Writes the reference unless it is already so; says whether it was. */
export function writeCommandReference(): boolean {
  // An image is built from the sources alone.
  if (!existsSync(dirname(COMMANDS_FILE))) return true;
  const text = commandReference();
  const before = readFileSync(COMMANDS_FILE, { encoding: 'utf8', flag: 'a+' });
  if (before !== text) writeFileSync(COMMANDS_FILE, text);
  return before === text;
}

const SHARED = new Set(['OUTPUT', 'CONNECTION']);

function sharedFlags(commands: readonly Command[]): string[] {
  const all = new Map(
    commands
      .flatMap(({ flags }) => Object.values(flags).filter(({ helpGroup }) => SHARED.has(helpGroup ?? '')))
      .map((flag) => [flag.name, flag]),
  );
  return ['## Flags that many commands take', '', ...flagTable([...all.values()]), ''];
}

function section(command: Command): string[] {
  const own = Object.values(command.flags).filter(({ hidden, helpGroup }) => !hidden && !SHARED.has(helpGroup ?? ''));
  const shared = Object.values(command.flags)
    .filter(({ helpGroup }) => SHARED.has(helpGroup ?? ''))
    .map(({ name }) => `\`--${name}\``);
  const args = Object.values(command.args);
  const usage = args.map(({ name, required }) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`));
  return [
    `## aip ${words(command.id)}`,
    '',
    ...(command.summary ? [command.summary, ''] : []),
    '```',
    ['aip', words(command.id), ...usage].join(' '),
    '```',
    '',
    ...(command.description ? [command.description, ''] : []),
    ...(args.length > 0
      ? [
          '| Argument | Meaning |',
          '|---|---|',
          ...args.map(
            ({ name, description, options }) =>
              `| \`${name.toUpperCase()}\` | ${cell([description, options?.join(', ')].filter(Boolean).join(' One of: '))} |`,
          ),
          '',
        ]
      : []),
    ...(own.length > 0 ? [...flagTable(own), ''] : []),
    ...(shared.length > 0 ? [`Also ${shared.join(', ')}.`, ''] : []),
    ...(command.examples && command.examples.length > 0
      ? [
          '```',
          ...command.examples.map((example) =>
            example.replaceAll('<%= config.bin %>', 'aip').replaceAll('<%= command.id %>', words(command.id)),
          ),
          '```',
          '',
        ]
      : []),
  ];
}

function flagTable(flags: readonly Flag[]): string[] {
  return [
    '| Flag | Meaning |',
    '|---|---|',
    ...flags.map((flag) => {
      const value = flag.type === 'option' ? ` ${flag.options?.join('\\|') ?? flag.helpValue ?? 'VALUE'}` : '';
      const name = `${flag.char ? `\`-${flag.char}\`, ` : ''}\`--${flag.allowNo ? '[no-]' : ''}${flag.name}${value}\``;
      const extra = [
        flag.required ? 'Required.' : '',
        flag.default !== undefined && flag.type === 'option' ? `Default: \`${String(flag.default)}\`.` : '',
      ].filter(Boolean);
      return `| ${name} | ${cell([flag.description, ...extra].filter(Boolean).join(' '))} |`;
    }),
  ];
}

function words(id: string): string {
  return id.replaceAll(':', ' ');
}

function cell(text = ''): string {
  return text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
