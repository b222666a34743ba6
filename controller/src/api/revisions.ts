import { digestOf } from '@aip/runtime/internal/signing';
import type { ConnectorInstance, ConnectorInstanceSpec } from './connector-instance.js';
import { ANNOTATIONS } from './group.js';

/** Most bytes of a history: all annotations of an object together have 256 KiB. */
const MAX_BYTES = 64 * 1024;

/** Members of a spec that name what hosts are made from, and so what a rollback restores. */
const MEMBERS = ['capacity', 'topology', 'config', 'secrets', 'events', 'bindings', 'pod'] as const;

/** What a rollback restores of a spec. */
export type RevisionSpec = Partial<Pick<ConnectorInstanceSpec, (typeof MEMBERS)[number]>> & {
  connector: { version: string; image?: string | undefined };
};

/** A completed rollout: all hosts that were wanted were ready, and none of another template was left. */
export interface Revision {
  revision: number;
  template: string;
  spec: RevisionSpec;
}

type Historied = Pick<ConnectorInstance, 'metadata'>;

/** Completed rollouts of an instance, newest first; an annotation that cannot be read is an empty history. */
export function revisionsOf({ metadata }: Historied): Revision[] {
  try {
    const found: unknown = JSON.parse(metadata.annotations?.[ANNOTATIONS.revisions] ?? '[]');
    return Array.isArray(found) ? found.filter(isRevision) : [];
  } catch {
    return [];
  }
}

/** The part of a spec that a revision keeps. */
export function revisionSpec({ spec }: Pick<ConnectorInstance, 'spec'>): RevisionSpec {
  const { version, image } = spec.connector;
  const kept = MEMBERS.flatMap((member) => (spec[member] === undefined ? [] : [[member, spec[member]]]));
  return { connector: { version, ...(image === undefined ? {} : { image }) }, ...Object.fromEntries(kept) };
}

/** Does the instance request what the revision was? */
export function isSameRevision(instance: Pick<ConnectorInstance, 'spec'>, { spec }: Revision): boolean {
  return digestOf(revisionSpec(instance) as never) === digestOf(spec as never);
}

/** The value of the history's annotation with the instance's present spec as the newest; the oldest are dropped beyond `spec.revisionHistoryLimit` and 64 KiB. */
export function addRevision(instance: ConnectorInstance, template: string): string {
  const before = revisionsOf(instance);
  const revision = Math.max(0, ...before.map((each) => each.revision)) + 1;
  const spec = revisionSpec(instance);
  const all = [{ revision, template, spec }, ...before.filter((each) => each.template !== template)];
  let kept = all.slice(0, instance.spec.revisionHistoryLimit);
  while (Buffer.byteLength(JSON.stringify(kept)) > MAX_BYTES) kept = kept.slice(0, -1);
  return JSON.stringify(kept);
}

/** The instance with the revision's members in its spec. */
export function withRevision(instance: ConnectorInstance, { spec }: Revision): ConnectorInstance {
  return {
    ...instance,
    spec: { ...instance.spec, ...spec, connector: { ...withoutImage(instance), ...spec.connector } },
  };
}

/** The merge patch of a spec that restores the revision; members that it did not have are removed. */
export function revisionPatch({ spec }: Revision, present: Pick<ConnectorInstance, 'spec'>): object {
  const members = MEMBERS.map((member) => [member, replacing(present.spec[member], spec[member])]);
  return {
    ...Object.fromEntries(members),
    connector: { version: spec.connector.version, image: spec.connector.image ?? null },
  };
}

function withoutImage({ spec }: ConnectorInstance): Omit<ConnectorInstanceSpec['connector'], 'image'> {
  const { image: _, ...connector } = spec.connector;
  return connector;
}

/** What a merge patch must say so that `wanted` takes the place of `present`: members that are not wanted are null. */
function replacing(present: unknown, wanted: unknown): unknown {
  if (wanted === undefined) return null;
  if (!isObject(present) || !isObject(wanted)) return wanted;
  const names = new Set([...Object.keys(present), ...Object.keys(wanted)]);
  return Object.fromEntries([...names].map((name) => [name, replacing(present[name], wanted[name])]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRevision(value: unknown): value is Revision {
  if (!isObject(value) || !isObject(value.spec) || !isObject(value.spec.connector)) return false;
  return (
    Number.isInteger(value.revision) &&
    typeof value.template === 'string' &&
    typeof value.spec.connector.version === 'string'
  );
}
