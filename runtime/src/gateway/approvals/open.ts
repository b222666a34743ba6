import type { FileSetting } from '../../transport/settings/live-setting.js';
import { followSetting } from '../../transport/settings/live-setting.js';
import type { ApprovalDeps } from './answers.js';
import type { AuthorityTable } from './authority/file.js';
import { type AuthoritySources, authorityResolver } from './authority/resolve.js';
import { type ApprovalExpiryDeps, startApprovalExpiry } from './expiry.js';

/** The approvals of one gateway process. */
export interface Approvals extends ApprovalDeps {
  /** Ends the expiry and the reading of the authority file. */
  stop(): Promise<void>;
}

/** Opens approvals: who may decide, by the authority file where there is one, and the expiry of undecided ones. */
export function openApprovals(
  options: ApprovalExpiryDeps &
    Pick<ApprovalDeps, 'capabilities' | 'stock'> &
    Pick<AuthoritySources, 'principals'> & { readonly authority: FileSetting<AuthorityTable> | undefined },
): Approvals {
  const { pool, clock, log, gateway, capabilities, stock, authority, principals } = options;
  const table = authority && followSetting(authority, { what: 'approval authority', log });
  const expiry = startApprovalExpiry({ pool, clock, log, gateway });
  return {
    pool,
    clock,
    gateway,
    capabilities,
    stock,
    authorityOf: authorityResolver({ table: table?.current, principals, clock }),
    stop: () => {
      table?.close();
      return expiry.stop();
    },
  };
}
