import { ResourcesInvalid } from '@aip/controller/internal/api';
import { KubeError, KubeForbidden, KubeNotFound, KubeUnavailable } from '@aip/controller/internal/kube';
import { ClientError } from '@aip/runtime/internal/gateway';
import { adviceOf, documentOf, EXIT, exitOf } from './client/errors.js';
import type { CommandEntry } from './program/manifest.js';
import { usageProblem } from './program/usage-problem.js';
import { paint } from './ui/paint.js';
import { asTyped } from './ui/self.js';
import { lengthOf, wrap } from './ui/tables/width.js';

/**
 * The one place where an error becomes output and an exit code: with --json one document on stdout, else what failed and what to do on
 * stderr. `command` is the one that was called, for errors of its command line. An unexpected error shows its stack only with DEBUG=aip.
 */
export function reportError(error: unknown, json: boolean, command?: CommandEntry): number {
  if (isHelp(error)) return 0;
  const { code, message, advice, exit, document } = describe(error, command);
  if (json)
    process.stdout.write(
      `${JSON.stringify(document ?? { error: { code, message, ...(advice ? { advice } : {}) } })}\n`,
    );
  else {
    const mark = paint.bad('✗', process.stderr);
    const [first = '', ...more] = [message, advice ?? ''].flatMap((text) => (text === '' ? [] : fittedLines(text)));
    process.stderr.write(`${[`${mark} ${first}`, ...more.map((line) => `  ${line}`)].join('\n')}\n`);
  }
  if (process.env.DEBUG === 'aip' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return exit;
}

/** A text in lines that a terminal does not break within a word. */
function fittedLines(text: string): string[] {
  const { isTTY, columns } = process.stderr;
  const width = isTTY && columns ? columns - 2 : Number.POSITIVE_INFINITY;
  return asTyped(text)
    .split('\n')
    .flatMap((line) => (lengthOf(line) <= width ? line : wrap(line, width, { whole: true })));
}

interface Described {
  code: string;
  message: string;
  advice?: string | undefined;
  exit: number;
  document?: unknown;
}

function describe(error: unknown, command: CommandEntry | undefined): Described {
  if (error instanceof ClientError) {
    // The parser puts its own words around the message of a flag's value.
    error.message = error.message.replace(/^Parsing (--\S+)\s+/, '$1: ').replace(/\nSee more help.*$/s, '');
    const { code, message } = error;
    return { code, message, advice: adviceOf(error), exit: exitOf(error), document: documentOf(error) };
  }
  if (error instanceof ResourcesInvalid)
    return {
      code: 'cli.resources_invalid',
      message: error.message,
      exit: EXIT.usage,
      document: { error: { code: 'cli.resources_invalid', message: error.message, problems: error.problems } },
    };
  if (error instanceof KubeError) return describeKube(error);
  const oclif = error as { oclif?: { exit?: number }; message?: string; parse?: unknown };
  if (oclif?.oclif !== undefined) return { code: 'cli.usage', ...usageProblem(error, command), exit: EXIT.usage };
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'cli.internal', message, exit: EXIT.failed };
}

/** A refusal of the API server, in its own words. */
function describeKube(error: KubeError): Described {
  if (error instanceof KubeUnavailable)
    return {
      code: 'cli.cluster_unreachable',
      message: `The API server of the cluster does not answer: ${error.message}.`,
      advice: 'Does `kubectl version` reach it?',
      exit: EXIT.unreachable,
    };
  if (error instanceof KubeForbidden)
    return {
      code: 'cli.right_missing',
      message: `The API server refuses it: ${error.message}.`,
      advice: error.status === 401 ? 'Log in to the cluster again.' : 'Ask for this right in the cluster.',
      exit: EXIT.failed,
    };
  return {
    code: 'cli.cluster_refused',
    message: `The API server refuses it: ${error.message}.`,
    advice: error instanceof KubeNotFound ? 'Is the fleet installed in this cluster? `aip doctor` looks.' : undefined,
    exit: EXIT.failed,
  };
}

function isHelp(error: unknown): boolean {
  const found = error as { oclif?: { exit?: number }; code?: string } | undefined;
  return found?.oclif?.exit === 0 || found?.code === 'EEXIT';
}
