import { AipError } from '../../protocol/errors.js';
import type { Facts } from './facts.js';

/** Check 7, second half: the record is kept, or is the one that was kept before. */
export function approvalRecord({ action, route, importApproval }: Facts): undefined | Promise<AipError | undefined> {
  const approvalId = action?.approval?.approval_id;
  if (approvalId === undefined) return undefined;
  return importApproval(approvalId, route?.approval_authorization).then(
    () => undefined,
    (error) => {
      if (error instanceof AipError) return error;
      throw error;
    },
  );
}
