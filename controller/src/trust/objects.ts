import { LABELS } from '../api/group.js';
import { KINDS } from '../api/kinds.js';
import type { KubeObject, ObjectMeta } from '../kube/kube.js';

/** Value of the label `app.kubernetes.io/managed-by` on everything that the controller owns. */
export const MANAGER = 'aip-controller';

/** A Secret as the API server gives it: `data` is base64. */
export interface SecretObject extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

/** A ConfigMap as the API server gives it. */
export interface ConfigMapObject extends KubeObject {
  /** Set, the data can never change again. */
  immutable?: boolean;
  data?: Record<string, string>;
}

/** The text under a key of a Secret, trimmed; undefined when there is none or it is empty. */
export function secretText(secret: SecretObject, key: string): string | undefined {
  const text = Buffer.from(secret.data?.[key] ?? '', 'base64')
    .toString('utf8')
    .trim();
  return text === '' ? undefined : text;
}

/** A changed copy of a Secret: texts and annotations are set, or removed where undefined; all else stays. */
export function changedSecret(
  secret: SecretObject,
  texts: Readonly<Record<string, string | undefined>>,
  annotations: Readonly<Record<string, string | undefined>> = {},
): SecretObject {
  const encoded = Object.entries(texts).map(([key, text]) => [key, text === undefined ? undefined : base64(text)]);
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      labels: { ...secret.metadata.labels, [LABELS.managedBy]: MANAGER },
      annotations: merged(secret.metadata.annotations, annotations),
    },
    data: merged(secret.data, Object.fromEntries(encoded)),
  };
}

/** A Secret to create, with the controller's label. */
export function newSecret(
  metadata: Pick<ObjectMeta, 'name'> & { namespace: string; annotations?: Record<string, string | undefined> },
  texts: Readonly<Record<string, string | undefined>>,
): SecretObject {
  const { name, namespace, annotations } = metadata;
  const { secret } = KINDS;
  const empty = { apiVersion: secret.apiVersion, kind: secret.kind, metadata: { name, namespace }, type: 'Opaque' };
  return changedSecret(empty, texts, annotations);
}

function merged(
  before: Readonly<Record<string, string>> | undefined,
  change: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = Object.entries({ ...before, ...change });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
