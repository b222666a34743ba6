import { type CliManifest, namedBy, readManifest } from './program/manifest.js';

// A reader that goes away (`aip actions list | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const argv = process.argv.slice(2);
const manifest = readManifest();
try {
  await dispatch(argv, manifest);
} catch (error) {
  const { reportError } = await import('./report-error.js');
  const named = namedBy(argv, manifest);
  process.exitCode = reportError(error, wantsJson(argv), named.kind === 'command' ? named.command : undefined);
}

/** What is requested most and needs no parser is answered without one: loading it takes longer than the answer. */
async function dispatch(args: readonly string[], known: CliManifest): Promise<void> {
  const [first, ...rest] = args;
  if (first === '--version' || first === '-v') return print(known.version);
  if (first === '__complete') {
    const { complete } = await import('./program/complete.js');
    return complete(rest, known);
  }
  if (first === 'version') return version(rest, known);
  const asksHelp = first === 'help' || first === '--help' || first === '-h' || first === undefined;
  if (asksHelp)
    return help(
      rest.filter((word) => !word.startsWith('-')),
      known,
    );
  const named = namedBy(args, known);
  if (named.kind === 'nothing') {
    const { unknownCommand } = await import('./program/unknown-command.js');
    throw unknownCommand(named.words.length > 0 ? named.words : [first], known);
  }
  if (named.kind === 'topic') return help(named.topic.split(' '), known);
  return runCommand([...args]);
}

/** Its few flags are read here; what does not parse goes the usual way, which says what is wrong. */
async function version(args: readonly string[], known: CliManifest): Promise<void> {
  const { printVersions, versionFlags } = await import('./program/version.js');
  const flags = versionFlags(args);
  if (!flags) return runCommand(['version', ...args]);
  await printVersions(known.version, flags, flags.json ? 'json' : 'text');
}

async function help(words: readonly string[], known: CliManifest): Promise<void> {
  const { rootHelp, topicHelp } = await import('./program/root-help.js');
  const { asTyped } = await import('./ui/self.js');
  const width = process.stdout.columns ?? 100;
  if (words.length === 0) return print(asTyped(rootHelp(known, width)));
  const named = namedBy(words, known);
  if (named.kind === 'command') return runCommand([...words.slice(0, named.words), '--help']);
  if (named.kind === 'topic') return print(asTyped(topicHelp(named.topic, known, width)));
  const { unknownCommand } = await import('./program/unknown-command.js');
  throw unknownCommand(named.words, known);
}

async function runCommand(args: string[]): Promise<void> {
  const { run } = await import('@oclif/core/run');
  const { settings } = await import('@oclif/core/settings');
  settings.enableAutoTranspile = false;
  await run(args, import.meta.url);
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
