import type { Risk, SideEffect } from '../../../protocol/types.js';

const risk: readonly Risk[] = ['low', 'medium', 'high', 'critical'];
const sideEffect: readonly SideEffect[] = [
  'read',
  'write',
  'delete',
  'send_message',
  'financial',
  'identity',
  'medical',
  'legal',
  'external_network',
  'code_execution',
];

/** The words that the manifest's enumerated filters take (docs/protocol/manifest.md#manifest). */
export const MANIFEST_ENUMS = { risk, sideEffect } as const;
