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

/** The message of the JSON line that a refused start prints, else the last line; `fallback` when nothing was printed. */
export function refusalText(output: string, fallback: string): string {
  const last = output.trim().split('\n').at(-1) ?? '';
  try {
    const { message, issues } = JSON.parse(last) as { message?: string; issues?: { path: string; message: string }[] };
    if (message) {
      const untold = (issues ?? []).filter((issue) => !message.includes(issue.message));
      return [message, ...untold.map((issue) => `${issue.path} ${issue.message}`)].join('; ');
    }
  } catch {
    // not a JSON line
  }
  return last || fallback;
}

/** The description that a program printed as its last line. Throws DescribeFailed. */
export function parseDescription(output: string, type: string): DescribedConnector {
  try {
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as DescribedConnector;
  } catch {
    throw new DescribeFailed(`connector ${type} printed no description`);
  }
}
