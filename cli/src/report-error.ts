import { ResourcesInvalid } from '@aip/controller/internal/api';
import { KubeError, KubeForbidden, KubeNotFound, KubeUnavailable } from '@aip/controller/internal/kube';
import { ClientError } from '@aip/runtime/internal/gateway';
import { adviceOf, documentOf, EXIT, exitOf } from './client/errors.js';
import { paint } from './ui/paint.js';
import { asTyped } from './ui/self.js';
import { lengthOf, wrap } from './ui/tables/width.js';

/**
 * The one place where an error becomes output and an exit code: with --json one document on stdout, else what failed and what to do on
 * stderr. An unexpected error shows its stack only with DEBUG=aip.
 */
export function reportError(error: unknown, json: boolean): number {
  const { code, message, advice, exit, document } = describe(error);
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

function describe(error: unknown): Described {
  if (error instanceof ClientError) {
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
