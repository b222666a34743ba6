import type { CommandClass } from './command.js';
import { type CliManifest, type CommandEntry, namedBy, readManifest } from './program/manifest.js';

// A reader that goes away (`aip actions list | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const argv = process.argv.slice(2);
try {
  await dispatch(argv, readManifest());
} catch (error) {
  const { reportError } = await import('./report-error.js');
  process.exitCode = reportError(error, wantsJson(argv));
}

/** Loads what one call needs and nothing else: loading takes longer than most answers. */
async function dispatch(args: readonly string[], known: CliManifest): Promise<void> {
  const [first, ...rest] = args;
  if (first === '--version' || first === '-v') return print(known.version);
  if (first === '__complete') {
    const { complete } = await import('./program/complete.js');
    return complete(rest, known);
  }
  if (first === undefined || first === '--help' || first === '-h') return help([], known);
  if (first === 'help')
    return help(
      rest.filter((word) => !word.startsWith('-')),
      known,
    );
  const named = namedBy(args, known);
  if (named.kind === 'command' && !asksHelp(args)) return run(named.command, args.slice(named.words), known);
  if (named.kind === 'nothing') return help(named.words.length > 0 ? named.words : [first], known);
  return help(named.kind === 'topic' ? named.topic.split(' ') : named.command.id.split(':'), known);
}

/** Is help asked for among the flags? Behind `--` all belongs to another program. */
function asksHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

async function run({ id, module }: CommandEntry, words: readonly string[], { version }: CliManifest): Promise<void> {
  const { default: Command } = (await import(`./commands/${module}`)) as { default: CommandClass };
  await new Command({ argv: words, id, version }).execute();
}

async function help(words: readonly string[], known: CliManifest): Promise<void> {
  const width = process.stdout.columns ?? 100;
  const named = words.length > 0 ? namedBy(words, known) : undefined;
  if (named?.kind === 'command') {
    const { commandHelp } = await import('./program/command-help.js');
    return print(commandHelp(named.command, width));
  }
  if (named?.kind === 'nothing') {
    const { UnknownCommand } = await import('./program/unknown-command.js');
    throw new UnknownCommand(named.words, known);
  }
  const { rootHelp, topicHelp } = await import('./program/root-help.js');
  print(named ? topicHelp(named.topic, known, width) : rootHelp(known, width));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A failure is a JSON document too where the answer would have been one. */
function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (word, at) =>
      word === '--json' ||
      word === '-ojson' ||
      word === '--output=json' ||
      ((word === '-o' || word === '--output') && args[at + 1] === 'json'),
  );
}
