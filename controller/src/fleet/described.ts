import { type Manifest, NamedError } from '@aip/runtime/internal/protocol';

/** What a connector says about itself: the one line of `aip-runtime describe` (docs/kubernetes/reference.md). */
export interface DescribedConnector {
  manifest: Manifest;
  implementation_support: Record<string, Record<string, boolean>>;
  config_schema?: unknown;
  sdk_version?: string;
}

/** The connector could not be described; the message is its own. */
export class DescribeFailed extends NamedError {
  constructor(message: string) {
    super(message);
  }
}

/** The JSON line that a refused start prints. */
interface RefusalLine {
  code?: string;
  message?: string;
  issues?: { path: string; message: string }[];
}

/** The code of the JSON line that a refused start prints as its last; undefined when it printed none. */
export function refusalCode(output: string): string | undefined {
  return refusalLine(lastLine(output))?.code;
}

/** The message of the JSON line that a refused start prints, else the last line; `fallback` when nothing was printed. */
export function refusalText(output: string, fallback: string): string {
  const last = lastLine(output);
  const { message, issues = [] } = refusalLine(last) ?? {};
  if (!message) return last || fallback;
  const unreported = issues.filter((issue) => !message.includes(issue.message));
  return [message, ...unreported.map((issue) => `${issue.path} ${issue.message}`)].join('; ');
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

function refusalLine(line: string): RefusalLine | undefined {
  try {
    return JSON.parse(line) as RefusalLine;
  } catch {
    return undefined;
  }
}

/** The description that a program printed as its last line. Throws DescribeFailed. */
export function parseDescription(output: string, type: string): DescribedConnector {
  try {
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as DescribedConnector;
  } catch {
    throw new DescribeFailed(`connector ${type} printed no description`);
  }
}
