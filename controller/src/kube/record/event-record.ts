import { createHash } from 'node:crypto';
import type { KubeObject } from '../kube.js';
import { microTime } from '../micro-time.js';

/** Repetitions within this time, in ms, are one event with a count. */
export const SERIES_MS = 600_000;

const MAX_NOTE_BYTES = 1024;
const MAX_NAME = 253;

/** What happened to an object. */
export interface Happening {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, stable: people and alerts look for it. */
  readonly reason: string;
  /** CamelCase: what was being done. */
  readonly action: string;
  /** For people; cut at 1024 bytes. */
  readonly note: string;
  /** Another object that has to do with it. */
  readonly related?: KubeObject | undefined;
}

/** Reference to an object, as an Event holds it. */
interface EventReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
}

/** An Event of events.k8s.io/v1. */
export interface KubeEvent extends KubeObject {
  eventTime: string;
  reportingController: string;
  reportingInstance: string;
  type: string;
  reason: string;
  action: string;
  note: string;
  regarding: EventReference;
  related?: EventReference;
  /** Only for what happened more than once. */
  series?: { count: number; lastObservedTime: string };
}

/** What makes two happenings the same: object, type, reason, action and note. */
export function seriesKey(regarding: KubeObject, happening: Happening): string {
  const { namespace, name, uid } = regarding.metadata;
  const { type, reason, action, note } = happening;
  const parts = [regarding.kind, namespace, name, uid, type, reason, action, note];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * The Event of a first occurrence. Its name follows from the series and the time, to `SERIES_MS`, so that a process that starts again finds the one
 * its predecessor wrote. `controller` is a qualified name, `instance` at most 128 characters; `now` ms since the epoch.
 */
export function eventOf(
  regarding: KubeObject,
  happening: Happening,
  { controller, instance, now }: { controller: string; instance: string; now: number },
): KubeEvent {
  const { type, reason, action, note, related } = happening;
  const period = Math.floor(now / SERIES_MS);
  const hash = createHash('sha256')
    .update(`${seriesKey(regarding, happening)} ${period}`)
    .digest('hex')
    .slice(0, 16);
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      // A name that was cut may end in a dot or a dash, which no part of a name may.
      name: `${regarding.metadata.name.slice(0, MAX_NAME - 17).replace(/[-.]+$/, '')}.${hash}`,
      // Events about what is cluster-wide live in `default`.
      namespace: regarding.metadata.namespace ?? 'default',
    },
    eventTime: microTime(now),
    reportingController: controller,
    reportingInstance: instance.slice(0, 128),
    type,
    reason,
    action,
    note: cutToBytes(note, MAX_NOTE_BYTES),
    regarding: referenceTo(regarding),
    ...(related && { related: referenceTo(related) }),
  };
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): EventReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** The text, or as many of its whole characters as fit with a mark of the cut. */
function cutToBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  const mark = '…';
  let end = max - Buffer.byteLength(mark);
  // Bytes 10xxxxxx continue a character.
  while (((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + mark;
}
