import { Extension } from './x509.js';

const NAME_CONSTRAINTS = '2.5.29.30';
/** DER tags: SEQUENCE, permittedSubtrees `[0]`, and the dNSName choice `[2]` of a GeneralName. */
const SEQUENCE = 0x30;
const PERMITTED = 0xa0;
const DNS_NAME = 0x82;

/** A critical constraint: leaves may only carry DNS names that equal one of `domains` or end in it (RFC 5280 §4.2.1.10). */
export function permittedDomains(domains: readonly string[]): Extension {
  const subtrees = domains.map((domain) => der(SEQUENCE, der(DNS_NAME, Buffer.from(domain, 'ascii'))));
  return new Extension(NAME_CONSTRAINTS, true, der(SEQUENCE, der(PERMITTED, Buffer.concat(subtrees))));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}
