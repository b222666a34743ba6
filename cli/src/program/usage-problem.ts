import { didYouMean, similar } from '@aip/controller/internal/suggest';
import type { CommandEntry } from './manifest.js';
import { usageOf } from './root-help.js';

/** What is wrong with a command line, in one sentence, and what to do. */
export interface UsageProblem {
  message: string;
  advice: string;
}

/** Puts an error of the parser into the words of this program. */
export function usageProblem(error: unknown, command: CommandEntry | undefined): UsageProblem {
  const {
    message = '',
    flags,
    args,
  } = error as {
    message?: string;
    flags?: string[];
    args?: (string | { name: string; description?: string })[];
  };
  const help = command
    ? `\`aip help ${command.id.replaceAll(':', ' ')}\` shows what it takes.`
    : '`aip help` lists the commands.';
  const plain = (message.split('\nSee more help')[0] ?? message).replace(/\s+/g, ' ').trim();
  if (Array.isArray(flags) && flags.length > 0) {
    const known = Object.values(command?.flags ?? {}).map(({ name }) => `--${name}`);
    const near = flags.flatMap((flag) => similar(flag, known, 1));
    return { message: `There is no flag ${flags.join(', ')}.`, advice: didYouMean(near) ?? help };
  }
  if (plain.startsWith('Missing') && Array.isArray(args)) {
    const missing = args.map((arg) => (typeof arg === 'string' ? arg : arg.name.toUpperCase()));
    const usage = command ? `Write \`${usageOf(command)}\`; ${help[0]?.toLowerCase()}${help.slice(1)}` : help;
    return { message: `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`, advice: usage };
  }
  if (plain.startsWith('Unexpected argument'))
    return { message: `${plain.replace(/^Unexpected arguments?: /, '')} is one argument too many.`, advice: help };
  const parsed = /^Parsing --(\S+) Expected (.+) but received: (.*)$/.exec(plain);
  if (parsed) return { message: `--${parsed[1]} ${parsed[3]} is not valid.`, advice: `It must be ${parsed[2]}.` };
  const option =
    /^Expected (--\S+?)=(.*) to be one of: (.+)$/.exec(plain) ?? /^Expected ()(.*) to be one of: (.+)$/.exec(plain);
  if (option) {
    const [, flag = '', given = '', list = ''] = option;
    const near = didYouMean(similar(given, list.split(', '), 1));
    return {
      message: `${[flag, given].filter(Boolean).join(' ')} is not known.`,
      advice: `${near ? `${near} ` : ''}It must be one of ${list}.`,
    };
  }
  const required = [...plain.matchAll(/Missing required flag (\S+)/g)].map(([, name]) => `--${name}`);
  if (required.length > 0) return { message: `${required.join(' and ')} is required.`, advice: help };
  const valueless = /^Flag (--\S+) expects/.exec(plain);
  if (valueless) {
    const flag = command?.flags[valueless[1]?.slice(2) ?? ''];
    const options = flag?.options ? ` It is one of ${flag.options.join(', ')}.` : '';
    return { message: `${valueless[1]} needs a value.`, advice: options === '' ? help : options.trim() };
  }
  const word = /^command (\S+) not found$/.exec(plain)?.[1];
  if (word && command?.id && word.startsWith(`${command.id}:`))
    return { message: `${word.slice(command.id.length + 1)} is one argument too many.`, advice: help };
  return { message: plain === '' ? 'The command line is not valid.' : plain, advice: help };
}
