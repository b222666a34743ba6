import type { KubeTarget } from '../kube/target.js';

/** One entry of contexts.yaml: a gateway with its credential, and the cluster it runs in when it does. */
export interface AipContext {
  name: string;
  /** Origin of the gateway; absent: a port-forward to one of its Pods. */
  gateway_url?: string;
  /** The bearer token itself, or the absolute path of a file that holds it. */
  token?: string;
  token_file?: string;
  /** Certificates (PEM) that are trusted besides the public roots, or the absolute path of a file that holds them. */
  ca?: string;
  ca_file?: string;
  tenant?: string;
  kube?: KubeTarget;
}

/** The whole of contexts.yaml. */
export interface Contexts {
  /** Name of the context in use; absent: the running `aip dev`. */
  current?: string;
  contexts: AipContext[];
}

/** Stands for the running `aip dev` wherever a context is named; no entry may have it. */
export const DEV_CONTEXT = 'dev';

const TEXTS = ['gateway_url', 'token', 'token_file', 'ca', 'ca_file', 'tenant'] as const;
const KUBE_TEXTS = ['kubeconfig', 'context', 'namespace', 'release'] as const;

/** Can a context have this name? 1 to 64 letters, digits, dots, dashes, underscores and @, the first a letter or digit; not `dev`. */
export function isContextName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(name) && name !== DEV_CONTEXT;
}

/** What is wrong with a parsed contexts.yaml, the first place only; undefined when it is a Contexts. */
export function contextsProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'it holds no mapping';
  if (value.current !== undefined && typeof value.current !== 'string') return 'current is not a text';
  if (!Array.isArray(value.contexts)) return 'contexts is not a list';
  for (const [index, entry] of value.contexts.entries()) {
    const at = `contexts[${index}]`;
    if (!isRecord(entry)) return `${at} is not a mapping`;
    if (typeof entry.name !== 'string' || !isContextName(entry.name)) return `${at}.name is not a name`;
    for (const member of TEXTS)
      if (entry[member] !== undefined && typeof entry[member] !== 'string') return `${at}.${member} is not a text`;
    if (entry.kube === undefined) {
      if (entry.gateway_url === undefined) return `${at} has neither gateway_url nor kube`;
      continue;
    }
    if (!isRecord(entry.kube)) return `${at}.kube is not a mapping`;
    for (const member of KUBE_TEXTS) {
      const found = entry.kube[member];
      const optional = member === 'kubeconfig' || member === 'context';
      if (typeof found !== 'string' && !(optional && found === undefined)) return `${at}.kube.${member} is not a text`;
    }
  }
  const names = value.contexts.map((entry: { name: string }) => entry.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `the context ${twice} is there twice`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
