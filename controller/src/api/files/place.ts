import { isMap, isNode, isScalar, type LineCounter, type Node } from 'yaml';

/** A place in a file, both counted from 1. */
export interface Place {
  line: number;
  column: number;
}

/** Where the member of a path such as `spec.bindings[0].priority` stands; of the nearest one above it when it is not there. `member` is one in it. */
export function placeOf(document: { contents: unknown }, lines: LineCounter, path: string, member?: string): Place {
  const steps = path === '' ? [] : path.split(/\.|\[(\d+)\]/).filter((step) => step !== undefined && step !== '');
  let node: unknown = document.contents;
  let start = startOf(document.contents);
  for (const step of [...steps, ...(member === undefined ? [] : [member])]) {
    const found = within(node, step);
    if (!found) break;
    node = found.value;
    start = found.start ?? start;
  }
  const { line, col } = lines.linePos(start ?? 0);
  return { line, column: col };
}

function within(node: unknown, step: string): { value: unknown; start: number | undefined } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : String(key)) === step);
    return pair && { value: pair.value, start: startOf(pair.key as Node) };
  }
  const items = (node as { items?: unknown[] } | null)?.items;
  const item = items?.[Number(step)];
  return item === undefined ? undefined : { value: item, start: startOf(item as Node) };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
