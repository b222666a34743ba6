import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Source files below a root, each with the source files that it imports; paths are relative to the root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const WORKSPACES = ['runtime', 'controller', 'cli'];

/** Reads the sources of the three workspaces; packages from outside are left out, and so are imports in block comments. */
export function importGraph(root: string): ImportGraph {
  const files = WORKSPACES.filter((workspace) => existsSync(join(root, workspace, 'src'))).flatMap((workspace) =>
    readdirSync(join(root, workspace, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(workspace, 'src', name)),
  );
  return new Map(files.map((file) => [file, importsOf(root, file)]));
}

function importsOf(root: string, file: string): string[] {
  const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const found = [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(([, name = '']) => {
    if (name.startsWith('.')) return [relative(root, resolve(root, dirname(file), name))];
    const ours = /^@aip\/(runtime|controller|cli)(?:\/(.+))?$/.exec(name);
    return ours ? [entryOf(root, ours[1] as string, ours[2]) ?? name] : [];
  });
  return found.map((built) => sourceOf(root, built));
}

/** The built file of an entry point, as if it lay among the sources; undefined where the package has no such entry. */
function entryOf(root: string, workspace: string, entry = ''): string | undefined {
  const manifest = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')) as {
    exports?: Record<string, { default?: string }>;
  };
  const built = manifest.exports?.[entry === '' ? '.' : `./${entry}`]?.default;
  return built && join(workspace, built.replace('./dist/', 'src/'));
}

/** Imports of a package of ours that are not one of its entry points; the graph keeps them by the name in the code. */
export function entryProblems(graph: ImportGraph): string[] {
  return [...graph].flatMap(([file, targets]) =>
    targets
      .filter((target) => target.startsWith('@aip/'))
      .map((target) => `${file} imports ${target}, which is not an entry point`),
  );
}

/** The source file of an import, which names the built one. */
function sourceOf(root: string, built: string): string {
  return (
    ['.ts', '.tsx'].map((end) => built.replace(/\.js$/, end)).find((file) => existsSync(join(root, file))) ?? built
  );
}

/** Circles among the values of `ahead`, each as a way that ends where it began. */
export function circles(ahead: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (place: string, way: readonly string[]): void => {
    const start = way.indexOf(place);
    if (start >= 0) found.push([...way.slice(start), place].join(' -> '));
    if (start >= 0 || done.has(place)) return;
    for (const target of ahead.get(place) ?? []) walk(target, [...way, place]);
    done.add(place);
  };
  for (const place of ahead.keys()) walk(place, []);
  return found;
}

/** Files that import themselves over others. */
export function fileCircles(graph: ImportGraph): string[] {
  return circles(graph);
}

/** Folders that import themselves over others. The files of a folder that has folders below it, which open and join those, count one by one. */
export function folderCircles(graph: ImportGraph): string[] {
  const folders = new Set([...graph.keys()].map((file) => dirname(file)));
  const parents = new Set([...folders].filter((folder) => [...folders].some((each) => each.startsWith(`${folder}/`))));
  return circles(
    grouped(graph, (file) => {
      const folder = dirname(file);
      return parents.has(folder) ? file : folder;
    }),
  );
}

/** Rooms of a root, its folders with everything below them, that import themselves over others. The root's own files open and join them. */
export function roomCircles(graph: ImportGraph, root: string): string[] {
  const roomOf = (file: string): string | undefined =>
    file.startsWith(`${root}/`) ? /^([^/]+)\//.exec(file.slice(root.length + 1))?.[1] : undefined;
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const room = roomOf(file);
    if (room === undefined) continue;
    const ahead = rooms.get(room) ?? new Set();
    for (const target of targets) {
      const to = roomOf(target);
      if (to !== undefined && to !== room) ahead.add(to);
    }
    rooms.set(room, ahead);
  }
  return circles(rooms);
}

function grouped(graph: ImportGraph, placeOf: (file: string) => string): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const place = placeOf(file);
    const ahead = places.get(place) ?? new Set();
    for (const target of targets) if (placeOf(target) !== place) ahead.add(placeOf(target));
    places.set(place, ahead);
  }
  return places;
}

/**
 * Imports within a package that do not lead downwards. `layers` names the folders and files below `root`, the lowest first, in rows of names that are
 * separated by spaces: each may import what is named before it. A file belongs to the longest name that leads to it.
 */
export function layerProblems(graph: ImportGraph, root: string, layers: readonly string[]): string[] {
  const names = layers.flatMap((row) => row.split(' '));
  const level = new Map(names.map((name, index) => [name, index]));
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const pathOf = (file: string): string | undefined =>
    file.startsWith(`${root}/`) ? file.slice(root.length + 1).replace(/\.tsx?$/, '') : undefined;
  const nameOf = (path: string): string | undefined =>
    longestFirst.find((name) => path === name || path.startsWith(`${name}/`));
  const problems: string[] = [];
  const found = new Set<string>();
  for (const [file, targets] of graph) {
    const path = pathOf(file);
    if (path === undefined) continue;
    const from = nameOf(path);
    if (from === undefined) problems.push(`${file} is in no layer`);
    else found.add(from);
    for (const target of targets) {
      const to = nameOf(pathOf(target) ?? '');
      if (from === undefined || to === undefined || from === to) continue;
      if ((level.get(to) as number) > (level.get(from) as number)) problems.push(`${file} imports ${target}`);
    }
  }
  return [...problems, ...names.filter((name) => !found.has(name)).map((name) => `${root}/${name} does not exist`)];
}

/** Imports from a place that may not know the other one; `allowed` names what each place may import from, itself always. */
export function placeProblems(graph: ImportGraph, allowed: Readonly<Record<string, readonly string[]>>): string[] {
  const placeOf = (file: string): string => {
    const [workspace = '', , first = ''] = file.split('/');
    return workspace === 'runtime' ? `runtime/${first.replace(/\.[jt]s$/, '')}` : workspace;
  };
  return [...graph].flatMap(([file, targets]) => {
    const from = placeOf(file);
    return targets
      .map(placeOf)
      .filter((to) => to !== from && !(allowed[from] ?? []).includes(to))
      .map((to) => `${file} imports ${to}`);
  });
}
