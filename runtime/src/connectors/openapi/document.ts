import { NamedError } from '../../protocol/errors/named-error.js';

/** A part of an OpenAPI document that is not checked yet. */
export type Node = Readonly<Record<string, unknown>>;

/** An operation of a document, found by its operationId. */
export interface FoundOperation {
  readonly method: Method;
  readonly path: string;
  readonly node: Node;
  /** Its own parameters, and those of its path that it does not replace; references followed. */
  readonly parameters: readonly Node[];
}

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

const MAX_REFERENCES = 32;

/** Something in the document cannot be used; the message says where and what. */
export class DocumentProblem extends NamedError {}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as an object; empty when it is missing. Throws DocumentProblem for anything else. */
export function nodeAt(node: Node, name: string): Node {
  const value = node[name];
  if (value === undefined) return {};
  if (!isNode(value)) throw new DocumentProblem(`${name} must be an object`);
  return value;
}

/** What a reference inside the document leads to, through further ones; any other value itself. Throws DocumentProblem. */
export function followed(document: Node, value: unknown): Node {
  let current = value;
  for (let count = 0; count < MAX_REFERENCES; count += 1) {
    if (!isNode(current)) throw new DocumentProblem('an object is missing');
    const { $ref } = current;
    if (typeof $ref !== 'string') return current;
    current = referenced(document, $ref);
  }
  throw new DocumentProblem('references lead in a circle');
}

/** What a JSON pointer of the document leads to. Throws DocumentProblem for a reference that leaves the document. */
export function referenced(document: Node, reference: string): unknown {
  if (!reference.startsWith('#/'))
    throw new DocumentProblem(`the reference ${reference} leaves the document; bundle it first`);
  let current: unknown = document;
  for (const part of reference.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isNode(current) || !Object.hasOwn(current, name))
      throw new DocumentProblem(`the reference ${reference} leads nowhere`);
    current = current[name];
  }
  return current;
}

/** Every operation of the document by its operationId. Throws DocumentProblem for a name that two of them have. */
export function operationsOf(document: Node): ReadonlyMap<string, FoundOperation> {
  const found = new Map<string, FoundOperation>();
  for (const [path, value] of Object.entries(nodeAt(document, 'paths'))) {
    const item = followed(document, value);
    for (const method of METHODS) {
      if (item[method] === undefined) continue;
      const node = nodeAt(item, method);
      const { operationId } = node;
      if (typeof operationId !== 'string') continue;
      if (found.has(operationId)) throw new DocumentProblem(`two operations are named ${operationId}`);
      found.set(operationId, { method, path, node, parameters: parametersOf(document, item, node) });
    }
  }
  return found;
}

function parametersOf(document: Node, item: Node, operation: Node): Node[] {
  const listOf = (node: Node): Node[] =>
    (Array.isArray(node.parameters) ? node.parameters : []).map((each) => followed(document, each));
  const own = listOf(operation);
  const replaced = (shared: Node): boolean => own.some((each) => each.name === shared.name && each.in === shared.in);
  return [...listOf(item).filter((shared) => !replaced(shared)), ...own];
}

/** The path of the document's first server; empty when it has none that says one. */
export function serverPath(document: Node): string {
  const [server] = Array.isArray(document.servers) ? (document.servers as unknown[]) : [];
  const url = isNode(server) && typeof server.url === 'string' ? server.url : '/';
  if (!URL.canParse(url, 'https://provider.invalid')) return '';
  return new URL(url, 'https://provider.invalid').pathname.replace(/\/+$/, '');
}
