import { didYouMean, similar } from '@aip/controller/internal/suggest';
import { CliError } from '../client/errors.js';
import { type CliManifest, commandNames } from './manifest.js';

/** The words name no command; the advice names those that are like it. */
export function unknownCommand(words: readonly string[], manifest: CliManifest): CliError {
  const near = nearest(words, manifest).map((name) => `\`aip ${name}\``);
  return new CliError(
    'cli.unknown_command',
    `There is no command \`aip ${words.slice(0, 3).join(' ')}\`.`,
    didYouMean(near),
  );
}

function nearest(words: readonly string[], manifest: CliManifest): string[] {
  const names = commandNames(manifest);
  const whole = similar(words.slice(0, 2).join(' '), names);
  if (whole.length > 0) return whole;
  const topics = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
  const [topic] = topics.includes(words[0] ?? '') ? [words[0]] : similar(words[0] ?? '', topics, 1);
  if (topic === undefined) return [];
  const within = names.filter((name) => name === topic || name.startsWith(`${topic} `));
  if (within.length === 1 || words.length === 1) return within.slice(0, 3);
  const near = similar(
    words[1] ?? '',
    within.map((name) => name.split(' ')[1] ?? ''),
  );
  return near.length > 0 ? near.map((word) => `${topic} ${word}`) : within.slice(0, 3);
}
