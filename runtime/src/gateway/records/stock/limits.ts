import type { env } from '../../../transport/settings/env.js';

/** How much of each kind of record one tenant may have stored. Those outside every tenant count as one. */
export interface StockLimits {
  readonly records: number;
  readonly bytes: number;
}

/** The limits that a gateway has unless it is given others. */
export const DEFAULT_STOCK_LIMITS: StockLimits = { records: 1_000_000, bytes: 1_073_741_824 };

/** Reads MAX_STORED_RECORDS_PER_TENANT and MAX_STORED_BYTES_PER_TENANT. Throws StartupRefused. */
export function readStockLimits(vars: ReturnType<typeof env>): StockLimits {
  return {
    records: vars.int('MAX_STORED_RECORDS_PER_TENANT', DEFAULT_STOCK_LIMITS.records, { min: 1 }),
    bytes: vars.int('MAX_STORED_BYTES_PER_TENANT', DEFAULT_STOCK_LIMITS.bytes, { min: 1 }),
  };
}
