import type { MessagePart, Resource } from '../../../protocol/types.js';

/** Media type of a resource that declares none: the output of its capability as JSON. */
export const DEFAULT_MEDIA_TYPE = 'application/json';

/** The media type that the content of a resource is declared to have. */
export function mediaTypeOf(resource: Resource): string {
  return resource.mime_type ?? DEFAULT_MEDIA_TYPE;
}

/** The media type of one part of a resource's content; text has that of the resource where it is a text type. */
export function partMediaType(part: MessagePart, resource: Resource): string {
  switch (part.type) {
    case 'text': {
      const declared = mediaTypeOf(resource);
      if (declared.startsWith('text/')) return declared;
      return part.format === 'markdown' ? 'text/markdown' : 'text/plain';
    }
    case 'image':
    case 'file':
    case 'audio':
      return part.mime_type;
    default:
      return DEFAULT_MEDIA_TYPE;
  }
}

/**
 * Whether a list of accepted media types admits one: by name, `type/*` or `*` + `/*`, without regard to case and to
 * parameters. An absent or empty list admits everything.
 */
export function accepts(accept: readonly string[] | undefined, mediaType: string): boolean {
  if (accept === undefined || accept.length === 0) return true;
  const offered = bare(mediaType);
  return accept.map(bare).some((item) => {
    if (item === '*/*' || item === offered) return true;
    return item.endsWith('/*') && offered.startsWith(item.slice(0, -1));
  });
}

function bare(mediaType: string): string {
  return (mediaType.split(';')[0] as string).trim().toLowerCase();
}
