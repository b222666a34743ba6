import { usageOf } from '../arguments/usage-errors.js';
import { paint } from '../ui/paint.js';
import { asTyped } from '../ui/self.js';
import { lengthOf, wrap } from '../ui/tables/width.js';
import type { CommandEntry, FlagEntry } from './manifest.js';

/** Groups of flags that stand behind all others, in this order. */
const LAST = ['OUTPUT', 'CONNECTION'];
/** A name wider than this has its text below it. */
const WIDEST = 32;
/** Below this room a text stands below its name. */
const LEAST_TEXT = 30;

/** `aip help COMMAND`: what it does, how it is called, and everything that it takes. */
export function commandHelp(command: CommandEntry, width = 100): string {
  const flags = Object.values(command.flags);
  const groups = [...new Set(flags.map(groupOf))].sort((a, b) => LAST.indexOf(a) - LAST.indexOf(b));
  const parts: Part[] = [
    { title: 'ARGUMENTS', entries: Object.values(command.args).map(argumentText) },
    ...groups.map((group) => ({
      title: group === 'FLAGS' ? group : `FLAGS FOR ${group}`,
      entries: flags.filter((flag) => groupOf(flag) === group).map(flagText),
    })),
  ];
  const names = parts.flatMap(({ entries }) => entries.map(([name]) => lengthOf(name)));
  const room = Math.max(0, ...names.filter((length) => length <= WIDEST)) + 4;
  const shown = parts.filter(({ entries }) => entries.length > 0);
  return [
    ...wrap(asTyped(command.summary), width),
    '',
    `${paint.strong('USAGE')}  ${usageOf(command)}${flags.length > 0 ? ' [FLAGS]' : ''}`,
    ...(command.description ?? '')
      .split(/\n\s*\n/)
      .flatMap((text) => (text === '' ? [] : ['', ...wrap(asTyped(text), width)])),
    ...shown.flatMap(({ title, entries }) => [
      '',
      paint.strong(title),
      ...entries.flatMap(([name, text]) => entryLines(name, text, room, width)),
    ]),
    ...(command.examples.length > 0
      ? ['', paint.strong('EXAMPLES'), ...command.examples.map((example) => `  ${asTyped(example)}`)]
      : []),
  ].join('\n');
}

interface Part {
  title: string;
  entries: (readonly [name: string, text: string])[];
}

function groupOf({ helpGroup = 'FLAGS' }: FlagEntry): string {
  return helpGroup;
}

function argumentText({
  name,
  description = '',
  options,
  required,
}: CommandEntry['args'][string]): readonly [string, string] {
  const one = options ? `One of ${options.join(', ')}.` : '';
  return [name.toUpperCase(), [description, one, required ? '' : 'Optional.'].filter(Boolean).join(' ')];
}

function flagText(flag: FlagEntry): readonly [string, string] {
  const {
    name,
    char,
    type,
    options,
    helpValue,
    allowNo,
    description = '',
    required,
    default: value,
    defaultText,
  } = flag;
  const takes = type === 'boolean' ? '' : ` ${helpValue ?? (options ? 'WORD' : 'VALUE')}`;
  const more = [
    options ? `One of ${options.join(', ')}.` : '',
    required ? 'Required.' : '',
    type === 'option' && value !== undefined ? `Default: ${defaultText ?? String(value)}.` : '',
  ];
  return [
    `${char ? `-${char}, ` : '    '}--${allowNo ? '[no-]' : ''}${name}${takes}${flag.multiple ? '...' : ''}`,
    [description, ...more].filter(Boolean).join(' '),
  ];
}

function entryLines(name: string, text: string, room: number, width: number): string[] {
  const typed = asTyped(text);
  const beside = Math.min(room, WIDEST + 4);
  if (width - beside < LEAST_TEXT || lengthOf(name) > beside - 4)
    return [`  ${name}`, ...wrap(typed, width - 8).map((line) => `        ${line}`)];
  return wrap(typed, width - beside).map(
    (line, at) => `${at === 0 ? `  ${name}`.padEnd(beside) : ' '.repeat(beside)}${line}`,
  );
}
