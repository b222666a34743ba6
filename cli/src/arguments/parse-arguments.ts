import type { Flag } from './definitions.js';
import {
  type CommandShape,
  givenTwice,
  missingArguments,
  missingFlags,
  missingValue,
  needsOther,
  notTogether,
  tooManyArguments,
  unknownFlags,
  unknownWord,
} from './usage-errors.js';

/** What a command line says, by name, and all its arguments in their order. */
export interface Parsed {
  args: Record<string, unknown>;
  flags: Record<string, unknown>;
  argv: string[];
}

/**
 * Reads the words behind a command's name: `--name value`, `--name=value`, `--no-name`, `-n value`, `-nvalue`, several letters behind one dash, and
 * `--`, behind which all is argument. Throws UsageError.
 */
export async function parseArguments(words: readonly string[], command: CommandShape): Promise<Parsed> {
  const { given, argv, unknown } = scanned(words, command);
  const flags: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(command.flags)) {
    const value = await flagValue(name, flag, given.get(name));
    if (value !== undefined) flags[name] = value;
  }
  if (unknown.length > 0) throw await unknownFlags(unknown, command);
  const args = await argumentsOf(argv, command);
  checkTogether(command, flags, given);
  return { args, flags, argv };
}

/** Texts of the flags that were given; a boolean's are `true` and `false`. */
type Given = ReadonlyMap<string, readonly string[]>;

function scanned(words: readonly string[], command: CommandShape): { given: Given; argv: string[]; unknown: string[] } {
  const given = new Map<string, string[]>();
  const argv: string[] = [];
  const unknown: string[] = [];
  const rest = [...words];
  /** A flag that takes the words behind its first value too. */
  let several: string | undefined;
  const add = (name: string, text: string): void => void given.set(name, [...(given.get(name) ?? []), text]);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      argv.push(...rest.splice(0));
      break;
    }
    const dashed = word.startsWith('-') && word !== '-' && !/^-\d/.test(word);
    if (!dashed) {
      if (several === undefined) argv.push(word);
      else add(several, word);
      continue;
    }
    const found = flagIn(word, command);
    if (!found) {
      unknown.push(word.split('=')[0] ?? word);
      continue;
    }
    const { name, flag, value, more } = found;
    if (flag.type === 'boolean') {
      add(name, value ?? 'true');
      if (more !== undefined) rest.unshift(`-${more}`);
      continue;
    }
    const text = value ?? rest.shift();
    if (text === undefined || (value === undefined && flagIn(text, command))) throw missingValue(name, command);
    if (!flag.multiple && given.has(name)) throw givenTwice(name);
    add(name, text);
    several = flag.multiple ? name : undefined;
  }
  return { given, argv, unknown };
}

interface Found {
  name: string;
  flag: Flag<unknown>;
  /** The value in the same word. */
  value?: string;
  /** Further letters behind the same dash. */
  more?: string;
}

/** The flag that a word names, if it names one. */
function flagIn(word: string, { flags }: CommandShape): Found | undefined {
  const long = /^--([^=]+)(?:=(.*))?$/s.exec(word);
  if (long) {
    const [, name = '', value] = long;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag && (flag.type === 'option' || value === undefined))
      return { name, flag, ...(value === undefined ? {} : { value }) };
    const denied = name.startsWith('no-') ? name.slice(3) : '';
    return Object.hasOwn(flags, denied) && flags[denied]?.allowNo && value === undefined
      ? { name: denied, flag: flags[denied], value: 'false' }
      : undefined;
  }
  const short = /^-([^-=])(=?)(.*)$/s.exec(word);
  const entry = short && Object.entries(flags).find(([, { char }]) => char === short[1]);
  if (!short || !entry) return undefined;
  const [name, flag] = entry;
  const [, , equals = '', rest = ''] = short;
  if (flag.type === 'option') return { name, flag, ...(equals + rest === '' ? {} : { value: rest }) };
  if (equals !== '') return undefined;
  return { name, flag, ...(rest === '' ? {} : { more: rest }) };
}

async function flagValue(name: string, flag: Flag<unknown>, texts: readonly string[] | undefined): Promise<unknown> {
  if (flag.type === 'boolean') {
    if (texts) return texts.at(-1) === 'true';
    return flag.default ?? (flag.allowNo ? undefined : false);
  }
  if (!texts) return flag.default;
  const values: unknown[] = [];
  for (const text of texts) {
    if (flag.options && !flag.options.includes(text)) throw await unknownWord(text, flag.options, `--${name}`);
    values.push(flag.parse ? flag.parse(text, name) : text);
  }
  return flag.multiple ? values : values[0];
}

async function argumentsOf(argv: readonly string[], command: CommandShape): Promise<Record<string, unknown>> {
  const entries = Object.entries(command.args);
  if (command.strict !== false && argv.length > entries.length)
    throw tooManyArguments(argv.slice(entries.length), command);
  const missing = entries.filter(([, { required }], at) => required && argv[at] === undefined);
  if (missing.length > 0)
    throw missingArguments(
      missing.map(([name]) => name),
      command,
    );
  const args: Record<string, unknown> = {};
  for (const [at, [name, arg]] of entries.entries()) {
    const text = argv[at] ?? arg.default;
    if (text === undefined) continue;
    if (arg.options && !arg.options.includes(text)) throw await unknownWord(text, arg.options);
    args[name] = text;
  }
  return args;
}

/** Flags that are missing, exclude each other or depend on others; defaults count for nothing. */
function checkTogether(command: CommandShape, values: Record<string, unknown>, given: Given): void {
  const missing = Object.entries(command.flags).filter(
    ([name, { required }]) => required && values[name] === undefined,
  );
  if (missing.length > 0)
    throw missingFlags(
      missing.map(([name]) => name),
      command,
    );
  for (const name of given.keys()) {
    const { exclusive = [], dependsOn = [] } = command.flags[name] ?? {};
    const excluded = exclusive.find((other) => given.has(other));
    if (excluded !== undefined) throw notTogether(name, excluded);
    const needed = dependsOn.find((other) => !given.has(other));
    if (needed !== undefined) throw needsOther(name, needed);
  }
}
