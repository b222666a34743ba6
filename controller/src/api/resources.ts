import { NamedError } from '@aip/runtime/internal/protocol';
import type { ConnectorInstance } from './connector-instance.js';
import type { ConnectorReplica } from './connector-replica.js';
import type { Secret } from './secret.js';

/** A set of desired resources, as files or an API server hold them. */
export interface Resources {
  instances: ConnectorInstance[];
  replicas: ConnectorReplica[];
  secrets: Secret[];
}

/** One thing wrong with a resource file. Its text is `file:line:column: path: message`. */
export interface ResourceProblem {
  /** File name as the user gave it. */
  file: string;
  /** 1 for the first document of the file. */
  document: number;
  /** Where in the file, where that is known. */
  line?: number;
  column?: number;
  /** Member path such as `spec.replicas`; empty for the document as a whole. */
  path: string;
  /** What is wrong and what to do. */
  message: string;
}

/** `file:line:column: path: message`, with the number of the document where the line is not known. */
export function problemText(problem: ResourceProblem): string {
  const path = problem.path === '' ? '' : `${problem.path}: `;
  const { file, document, line, column } = problem;
  // A file that cannot be read has no document.
  const place = line === undefined ? (document === 0 ? '' : `:${document}`) : `:${line}:${column}`;
  return `${file}${place}: ${path}${problem.message}`;
}

/** Most problems that one message lists. */
const MOST_LISTED = 20;

/** The resource files can't be used: the problems found, and in the message the first of them, one a line. */
export class ResourcesInvalid extends NamedError {
  readonly problems: readonly ResourceProblem[];
  constructor(problems: readonly ResourceProblem[]) {
    const more = problems.length - MOST_LISTED;
    const rest = more > 0 ? [`… and ${more} more`] : [];
    super([...problems.slice(0, MOST_LISTED).map(problemText), ...rest].join('\n'));
    this.problems = problems;
  }
}
