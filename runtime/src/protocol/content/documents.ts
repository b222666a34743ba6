/** Documents up to this many bytes travel inside the result; larger ones beside it, and the result names them. */
export const INLINE_DOCUMENT_BYTES = 3_145_728;
/** The largest document that a capability may declare, in bytes. */
export const MAX_DOCUMENT_BYTES = 268_435_456;
/** Request header by which a gateway takes documents beside the envelope, with the most bytes that it takes. */
export const ACCEPT_DOCUMENT = 'aip-accept-document';
/** Response header of an envelope that a document follows: the bytes of the envelope. */
export const ENVELOPE_BYTES = 'aip-envelope-bytes';

/** A document beside a result: its size and the digest of its bytes. */
export interface DocumentReference {
  digest: string;
  bytes: number;
}

/** Where an output stands for a document: the name of its member, and what the reference says. */
export interface DocumentPlace extends DocumentReference {
  member: string;
}

/** The value that stands for a document in an output. Whoever has the result may fetch the document with it. */
export function documentValue({ digest, bytes }: DocumentReference): { aip_document: DocumentReference } {
  return { aip_document: { digest, bytes } };
}

/** The document that a member of the output stands for; the first one when there are several. */
export function documentOf(output: unknown): DocumentPlace | undefined {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return undefined;
  for (const [member, value] of Object.entries(output)) {
    const { aip_document: reference } = (value ?? {}) as { aip_document?: Partial<DocumentReference> };
    const { digest, bytes } = reference ?? {};
    if (typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest) && typeof bytes === 'number')
      return { member, digest, bytes };
  }
  return undefined;
}

/**
 * The largest document that a capability declares: `max_document_bytes` of one of its bindings, at most 256 MiB.
 * Undefined for one that declares none: its results have the bound of every answer.
 */
export function documentBound({ bindings = [] }: { bindings?: readonly object[] }): number | undefined {
  for (const { max_document_bytes: declared } of bindings as { max_document_bytes?: unknown }[])
    if (typeof declared === 'number' && Number.isInteger(declared) && declared > 0)
      return Math.min(declared, MAX_DOCUMENT_BYTES);
  return undefined;
}
