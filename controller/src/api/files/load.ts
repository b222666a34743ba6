import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileProblem } from '@aip/runtime/internal/protocol';
import type { ConnectorInstance } from '../connector-instance.js';
import type { ConnectorReplica } from '../connector-replica.js';
import { ANNOTATIONS } from '../group.js';
import { keyOf } from '../metadata.js';
import { type ResourceProblem, type Resources, ResourcesInvalid } from '../resources.js';
import { type Secret, secretValue } from '../secret.js';
import { type ParsedResource, parseResources } from './parse.js';

/** One resource file: the name to show in errors, and its text. */
export interface ResourceFile {
  name: string;
  text: string;
}

/** Reads resource files; throws ResourcesInvalid when one can't be read. */
export async function readResourceFiles(names: readonly string[]): Promise<ResourceFile[]> {
  const problems: ResourceProblem[] = [];
  const files: ResourceFile[] = [];
  for (const name of names) {
    try {
      files.push({ name, text: await readFile(name, 'utf8') });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'ENOENT' ? 'no such file; check the path' : `can't be read: ${fileProblem(error)}`;
      problems.push({ file: name, document: 0, path: '', message: why });
    }
  }
  if (problems.length > 0) throw new ResourcesInvalid(problems);
  return files;
}

/**
 * Parses and checks resource files together: schema, defaults, names given twice, references between them. Module paths of instances
 * become absolute, relative to their file. Throws ResourcesInvalid with everything that is wrong. With `known`, references may also
 * go to those resources.
 */
export function loadResources(files: readonly ResourceFile[], known?: Resources): Resources {
  const parsed: ParsedResource[] = [];
  const problems: ResourceProblem[] = [];
  for (const file of files) {
    const result = parseResources(file.name, file.text);
    parsed.push(...result.resources);
    problems.push(...result.problems);
  }
  problems.push(...duplicates(parsed));
  const own = collect(parsed);
  for (const entry of parsed) {
    for (const problem of referenceProblems(entry.resource, own, known))
      problems.push({ file: entry.file, document: entry.document, ...entry.at(problem.path), ...problem });
    const annotations = entry.resource.metadata.annotations;
    const module = annotations?.[ANNOTATIONS.module];
    if (annotations && module) annotations[ANNOTATIONS.module] = resolve(dirname(entry.file), module);
  }
  if (problems.length > 0) {
    problems.sort((a, b) => a.file.localeCompare(b.file) || a.document - b.document || (a.line ?? 0) - (b.line ?? 0));
    throw new ResourcesInvalid(problems);
  }
  return own;
}

/** `base` with the resources of `changes` put over those of the same kind, namespace and name. */
export function mergeResources(base: Resources, changes: Resources): Resources {
  const merge = <T extends ConnectorInstance | ConnectorReplica | Secret>(old: T[], fresh: T[]): T[] => {
    const all = new Map(old.map((resource) => [keyOf(resource), resource]));
    for (const resource of fresh) all.set(keyOf(resource), resource);
    return [...all.values()];
  };
  return {
    instances: merge(base.instances, changes.instances),
    replicas: merge(base.replicas, changes.replicas),
    secrets: merge(base.secrets, changes.secrets),
  };
}

function collect(parsed: readonly ParsedResource[]): Resources {
  const of = <T>(kind: string): T[] =>
    parsed.filter((entry) => entry.resource.kind === kind).map((entry) => entry.resource as T);
  return { instances: of('ConnectorInstance'), replicas: of('ConnectorReplica'), secrets: of('Secret') };
}

function duplicates(parsed: readonly ParsedResource[]): ResourceProblem[] {
  const first = new Map<string, ParsedResource>();
  const problems: ResourceProblem[] = [];
  for (const entry of parsed) {
    const key = `${entry.resource.kind} ${keyOf(entry.resource)}`;
    const before = first.get(key);
    if (before) {
      problems.push({
        file: entry.file,
        document: entry.document,
        ...entry.at('metadata.name'),
        path: 'metadata.name',
        message: `${key} is already in ${before.file}:${before.document}; rename one of the two`,
      });
    } else first.set(key, entry);
  }
  return problems;
}

function referenceProblems(
  resource: ConnectorInstance | ConnectorReplica | Secret,
  own: Resources,
  known: Resources | undefined,
): { path: string; message: string }[] {
  const find = <T extends ConnectorInstance | Secret>(kind: 'instances' | 'secrets', name: string): T | undefined => {
    const key = `${resource.metadata.namespace}/${name}`;
    const lists = [own[kind], known?.[kind] ?? []] as T[][];
    return lists.flat().find((other) => keyOf(other) === key);
  };
  if (resource.kind === 'ConnectorReplica') {
    const instance = find<ConnectorInstance>('instances', resource.spec.instanceRef.name);
    if (!instance)
      return [
        {
          path: 'spec.instanceRef.name',
          message: `ConnectorInstance ${resource.spec.instanceRef.name} not found in namespace ${resource.metadata.namespace}; add its document or correct the name`,
        },
      ];
    if (instance.spec.hosting !== 'External')
      return [
        {
          path: 'spec.instanceRef.name',
          message: `${resource.spec.instanceRef.name} is Managed and its replicas are made by the fleet; set hosting: External there or remove this document`,
        },
      ];
  }
  if (resource.kind === 'ConnectorInstance') {
    return resource.spec.secrets.flatMap((reference, index) => {
      const { name, key } = reference.secretKeyRef;
      const secret = find<Secret>('secrets', name);
      const path = `spec.secrets[${index}].secretKeyRef`;
      if (!secret)
        return [
          { path, message: `Secret ${name} not found in namespace ${resource.metadata.namespace}; add its document` },
        ];
      if (secretValue(secret, key) === undefined)
        return [{ path, message: `the Secret ${name} has no key ${key}; add it under stringData` }];
      return [];
    });
  }
  return [];
}
