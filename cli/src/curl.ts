import type { Submission } from '@aip/runtime/client';
import { newEnvelope } from '@aip/runtime/internal/messages';
import { type Action, newId } from '@aip/runtime/internal/protocol';
import { quoted } from './client/quoted.js';

/** The curl command that submits an action as this program would; the token stays in its file or variable. */
export function curlOf(url: string, submission: Submission, tokenFile: string | undefined): string {
  const action = {
    id: submission.id ?? newId('action'),
    capability_id: submission.capabilityId,
    input: submission.input,
    ...(submission.mode ? { mode: submission.mode } : {}),
    ...(submission.idempotencyKey === undefined ? {} : { idempotency_key: submission.idempotencyKey }),
    ...(submission.timeoutMs === undefined ? {} : { timeout_ms: submission.timeoutMs }),
  } as Action;
  const fields = submission.sessionId === undefined ? {} : { session_id: submission.sessionId };
  const body = JSON.stringify(newEnvelope({ action }, fields, { clock: Date.now }), null, 2);
  const token = tokenFile === undefined ? '$AIP_TOKEN' : `$(cat ${quoted(tokenFile)})`;
  return [
    `curl --fail-with-body ${quoted(`${url}/aip/v1/actions`)} \\`,
    `  -H "authorization: Bearer ${token}" \\`,
    "  -H 'content-type: application/json' \\",
    `  -d ${quoted(body)}`,
  ].join('\n');
}
