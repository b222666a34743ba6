import { compileJsonSchema, unknownMemberOf } from '@aip/runtime/internal/messages';
import { LineCounter, parseAllDocuments } from 'yaml';
import { type ConnectorInstance, connectorInstanceProblems, connectorInstanceSchema } from '../connector-instance.js';
import { type ConnectorReplica, connectorReplicaProblems, connectorReplicaSchema } from '../connector-replica.js';
import { API_VERSION } from '../group.js';
import { closedJsonSchema, type ResourceSchema, withDefaults } from '../json-schema.js';
import type { ResourceProblem } from '../resources.js';
import { type Secret, secretSchema } from '../secret.js';
import { didYouMean, similar } from '../suggest.js';
import { type Place, placeOf } from './place.js';

/** One checked document with its defaults filled in, and where it stood. */
export interface ParsedResource {
  file: string;
  document: number;
  resource: ConnectorInstance | ConnectorReplica | Secret;
  /** Where a member of it stands in the file. */
  at: (path: string) => Place;
}

interface Kind {
  apiVersion: string;
  schema: ResourceSchema;
  problems(resource: never): { path: string; message: string }[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  ConnectorInstance: {
    apiVersion: API_VERSION,
    schema: connectorInstanceSchema,
    problems: connectorInstanceProblems as Kind['problems'],
  },
  ConnectorReplica: {
    apiVersion: API_VERSION,
    schema: connectorReplicaSchema,
    problems: connectorReplicaProblems as Kind['problems'],
  },
  Secret: { apiVersion: 'v1', schema: secretSchema, problems: () => [] },
};

/** Reads every YAML document of one file's text; empty documents are passed over. */
export function parseResources(
  file: string,
  text: string,
): { resources: ParsedResource[]; problems: ResourceProblem[] } {
  const resources: ParsedResource[] = [];
  const problems: ResourceProblem[] = [];
  let documents: ReturnType<typeof parseAllDocuments>;
  const lines = new LineCounter();
  documents = parseAllDocuments(text, { prettyErrors: true, lineCounter: lines });
  if (!Array.isArray(documents)) documents = [];
  let number = 0;
  for (const parsed of documents) {
    number += 1;
    const at = { file, document: number };
    const [error] = parsed.errors;
    if (error) {
      // The further ones mostly follow from the first.
      const place = error.linePos?.[0];
      const first = error.message.split('\n')[0]?.replace(/:$/, '');
      problems.push({
        ...at,
        path: '',
        ...(place ? { line: place.line, column: place.col } : {}),
        message: `is not valid YAML: ${first?.replace(/ at line \d+, column \d+$/, '')}`,
      });
      continue;
    }
    const value: unknown = parsed.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) continue;
    const found = checkResource(value);
    for (const problem of found.problems) {
      const member = unknownMemberOf(problem.message);
      problems.push({ ...at, ...placeOf(parsed, lines, problem.path, member), ...problem });
    }
    if (found.resource) resources.push({ ...at, resource: found.resource, at: (path) => placeOf(parsed, lines, path) });
  }
  return { resources, problems };
}

/** Checks one document against its kind's schema and rules; gives the resource with defaults, or what is wrong. */
export function checkResource(value: unknown): {
  resource?: ConnectorInstance | ConnectorReplica | Secret;
  problems: { path: string; message: string }[];
} {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problems: [{ path: '', message: 'is not a mapping; a document begins with apiVersion and kind' }] };
  const { kind: name, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  const kind = typeof name === 'string' && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kind) {
    const given = name === undefined ? 'is missing' : `${JSON.stringify(name)} is not known here`;
    return { problems: [{ path: 'kind', message: `${given}; use one of ${Object.keys(KINDS).join(', ')}` }] };
  }
  if (apiVersion !== kind.apiVersion)
    return {
      problems: [
        {
          path: 'apiVersion',
          message: `${apiVersion === undefined ? 'is missing' : `${JSON.stringify(apiVersion)} is not right for a ${name}`}; write ${kind.apiVersion}`,
        },
      ],
    };
  const filled = withDefaults(kind.schema, value);
  const issues = compileJsonSchema(closedJsonSchema(kind.schema))(filled);
  if (issues.length > 0)
    return {
      problems: issues.map(({ path, message }) => ({
        path: dotted(path),
        message: withNearMember(kind.schema, path, message),
      })),
    };
  const problems = kind.problems(filled as never);
  if (problems.length > 0) return { problems };
  return { resource: filled as ConnectorInstance | ConnectorReplica | Secret, problems: [] };
}

/** The message; one about an unknown member also names the members of that object that are like it. */
function withNearMember(schema: ResourceSchema, path: string, message: string): string {
  const member = unknownMemberOf(message);
  if (member === undefined) return message;
  const parts = path.split('/').slice(1);
  const object = parts.reduce<ResourceSchema | undefined>(
    (at, part) => (/^\d+$/.test(part) ? at?.items : (at?.properties?.[part] ?? at?.additionalProperties)),
    schema,
  );
  const near = didYouMean(similar(member, Object.keys(object?.properties ?? {})));
  return near ? `${message}. ${near}` : message;
}

/** `/spec/bindings/0/capabilities` or `$.spec.bindings[0]` as `spec.bindings[0].capabilities`. */
function dotted(path: string): string {
  if (!path.startsWith('/')) return path.replace(/^\$\.?/, '');
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}
