import { UsageError } from '../client/errors.js';
import type { ArgSet, FlagSet } from './definitions.js';

/** What the words of a command line are read against. */
export interface CommandShape {
  /** Its words, separated by colons. */
  id: string;
  args: ArgSet;
  flags: FlagSet;
  /** false: any number of arguments. */
  strict?: boolean;
}

/** `aip actions get ID`. */
export function usageOf({ id, args }: Pick<CommandShape, 'id' | 'args'>): string {
  const words = Object.entries(args).map(([name, { required }]) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  return ['aip', ...id.split(':'), ...words].join(' ');
}

/** Flags that the command does not have. */
export async function unknownFlags(given: readonly string[], command: CommandShape): Promise<UsageError> {
  const { didYouMean, similar } = await import('@aip/controller/internal/suggest');
  const known = Object.keys(command.flags).map((name) => `--${name}`);
  const near = given.flatMap((flag) => similar(flag, known, 1));
  return new UsageError(`There is no flag ${given.join(', ')}.`, didYouMean(near) ?? helpOn(command));
}

/** A word in the place of one of some others. `what` names the flag, if it is the value of one. */
export async function unknownWord(given: string, options: readonly string[], what?: string): Promise<UsageError> {
  const { didYouMean, similar } = await import('@aip/controller/internal/suggest');
  const near = didYouMean(similar(given, [...options], 1));
  return new UsageError(
    `${what === undefined ? '' : `${what} `}${given} is not known.`,
    `${near ? `${near} ` : ''}It must be one of ${options.join(', ')}.`,
  );
}

export function missingArguments(names: readonly string[], command: CommandShape): UsageError {
  const help = helpOn(command);
  return new UsageError(
    `${joined(names.map((name) => name.toUpperCase()))} missing.`,
    `Write \`${usageOf(command)}\`; ${help}`,
  );
}

export function missingFlags(names: readonly string[], command: CommandShape): UsageError {
  return new UsageError(`${joined(names.map((name) => `--${name}`))} required.`, helpOn(command));
}

export function missingValue(name: string, command: CommandShape): UsageError {
  const options = command.flags[name]?.options;
  return new UsageError(
    `--${name} needs a value.`,
    options ? `It must be one of ${options.join(', ')}.` : helpOn(command),
  );
}

export function tooManyArguments(words: readonly string[], command: CommandShape): UsageError {
  const problem = words.length === 1 ? 'is one argument too many' : `are ${words.length} arguments too many`;
  return new UsageError(`${words.join(' ')} ${problem}.`, helpOn(command));
}

export function givenTwice(name: string): UsageError {
  return new UsageError(`--${name} is given more than once.`, 'Leave all but one out.');
}

export function notTogether(name: string, other: string): UsageError {
  return new UsageError(`--${name} and --${other} exclude each other.`, 'Leave one of them out.');
}

export function needsOther(name: string, other: string): UsageError {
  return new UsageError(`--${name} means nothing without --${other}.`, `Add --${other}, or leave --${name} out.`);
}

function helpOn({ id }: CommandShape): string {
  return `\`aip help ${id.replaceAll(':', ' ')}\` shows what it takes.`;
}

function joined(names: readonly string[]): string {
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'}`;
}
