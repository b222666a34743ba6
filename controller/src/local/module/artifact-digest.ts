import { digestOf } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import { ANNOTATIONS } from '../../api/group.js';

/** Digest of what runs a connector under `aip dev`: its type, and the contents of the runtime and of the user's own module. */
export function artifactDigest(instance: ConnectorInstance): string {
  const module = instance.metadata.annotations?.[ANNOTATIONS.module];
  const code = instance.metadata.annotations?.[ANNOTATIONS.moduleDigest];
  return digestOf({
    connector: instance.spec.connector.type,
    ...(module ? { module } : {}),
    ...(code ? { code } : {}),
  });
}
