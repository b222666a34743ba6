import { L, opaque, R, record, string } from './dsl/dsl.js';

export const BatchSettlement = record('BatchSettlement', 'A settled batch.', {
  id: R(string),
  model: R(string),
  records: L(opaque),
});
