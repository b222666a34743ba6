/** Canonical form, digests, keys and signatures for sibling packages. */
export { canonicalJson } from '../protocol/canonical.js';
export { digestOf, sha256Hex } from '../protocol/digest.js';
export { parseJson } from '../protocol/json.js';
export { receiptHash, rootHash, verifyReceiptChain } from '../protocol/receipts.js';
export { newSeedHex, type SigningKey, signingKeyFromSeed } from '../protocol/signing.js';
export { WEBHOOK_SECRET, webhookChannel, webhookNames, webhookSignature } from '../protocol/wire/webhook.js';
