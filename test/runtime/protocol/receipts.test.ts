import { describe, expect, it } from 'vitest';
import { linkReceipt, receiptHash, rootHash, verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Receipt, ReceiptChain } from '#runtime/protocol/types.js';
import { appendReceipt } from '../../support/receipt-chain.ts';
import { bodies, copy } from './support.ts';

const vector = bodies.find((body) => 'receipt_chain' in body)?.receipt_chain as unknown as ReceiptChain;
const single: Receipt = {
  id: 'rcpt_0001',
  receipt_type: 'action_accepted',
  actor: { id: 'service:alpha', kind: 'service' },
  occurred_at: '2026-01-02T03:04:05Z',
};

describe('receipt chains', () => {
  it('have the hashes of the vectors', () => {
    const hash = '56975f5b82e9dd13e3342bbd3df1c0122b19087a91d4eff0600193272a87767f';
    expect(receiptHash(single)).toBe(hash);
    expect(rootHash([{ ...single, hash }])).toBe('165db9a91c79a5b3dc60a13f09e88582adf142acbb8787113e36eb741120ef04');
    expect(verifyReceiptChain(vector)).toEqual({ ok: true });
  });

  it('are rebuilt link by link to the vector', () => {
    const empty: ReceiptChain = { chain_id: vector.chain_id, receipts: [] };
    const bare = vector.receipts.map(({ hash: _1, previous_hash: _2, ...receipt }) => receipt);
    expect(bare.reduce(appendReceipt, empty)).toEqual(vector);
    expect(empty.receipts).toEqual([]);
    expect(verifyReceiptChain(empty)).toEqual({ ok: true });
  });

  it('link over whatever hashes a receipt came with', () => {
    const linked = linkReceipt({ ...single, hash: 'forged', previous_hash: 'forged' }, undefined);
    expect(linked.hash).toBe(receiptHash(single));
    expect('previous_hash' in linked).toBe(false);
  });

  it.each<[string, (chain: ReceiptChain) => void, RegExp]>([
    [
      'changed data',
      (chain) => Object.assign(chain.receipts[0]?.data as object, { capability_id: 'cap:other' }),
      /receipt 0 .* changed/,
    ],
    [
      'a changed time',
      (chain) => Object.assign(chain.receipts[1] as object, { occurred_at: '2027-01-01T00:00:00Z' }),
      /receipt 1 .* changed/,
    ],
    ['a removed receipt', (chain) => chain.receipts.shift(), /receipt 0 .* does not follow/],
    ['a missing last receipt', (chain) => chain.receipts.pop(), /root hash/],
    ['swapped receipts', (chain) => chain.receipts.reverse(), /does not follow/],
    ['another root', (chain) => Object.assign(chain, { root_hash: '0'.repeat(64) }), /root hash/],
    ['no root', (chain) => delete chain.root_hash, /root hash/],
    ['no hash', (chain) => delete chain.receipts[1]?.hash, /receipt 1 .* changed/],
  ])('do not verify with %s', (_, spoil, problem) => {
    const chain = copy(vector);
    spoil(chain);
    const verdict = verifyReceiptChain(chain);
    expect(verdict.ok).toBe(false);
    expect(verdict.problem).toMatch(problem);
  });
});
