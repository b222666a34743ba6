import { createPrivateKey, X509Certificate } from 'node:crypto';
import { NamedError } from '@aip/runtime/internal/protocol';
import { sha256Hex } from '@aip/runtime/internal/signing';

/** What the fleet reads of a certificate; times in ms since the epoch. */
export interface Certificate {
  readonly pem: string;
  /** First 16 hex digits of the digest of the public key. Of an authority: its id. */
  readonly id: string;
  readonly isCa: boolean;
  /** Whether its key is ECDSA P-256, the one kind that the fleet signs with. */
  readonly isP256: boolean;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Whether the authority's key signed this one. */
  issuedBy(authority: Certificate): boolean;
  /** Whether the text is the private key of this certificate. */
  hasKey(keyPem: string): boolean;
}

/** The text holds no certificate that can be read. */
export class CertificateUnreadable extends NamedError {
  constructor(cause: unknown) {
    super('the text is not a PEM certificate', { cause });
  }
}

/** The first certificate of a PEM text. Throws CertificateUnreadable. */
export function readCertificate(pem: string): Certificate {
  const x509 = parse(pem);
  const names = (x509.subjectAltName ?? '').split(', ');
  const after = (prefix: string): string[] =>
    names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return {
    pem: `${x509.toString().trimEnd()}\n`,
    id: sha256Hex(x509.publicKey.export({ format: 'der', type: 'spki' })).slice(0, 16),
    isCa: x509.ca,
    isP256: x509.publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1',
    notBefore: x509.validFromDate.getTime(),
    notAfter: x509.validToDate.getTime(),
    dnsNames: after('DNS:'),
    ipAddresses: after('IP Address:'),
    issuedBy: (authority) => x509.verify(parse(authority.pem).publicKey),
    hasKey: (keyPem) => isKeyOf(x509, keyPem),
  };
}

/** Every certificate of a PEM text, in order; none for an empty text. Throws CertificateUnreadable. */
export function readCertificates(text: string): Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0 && text.trim() !== '') throw new CertificateUnreadable(undefined);
  return blocks.map(readCertificate);
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new CertificateUnreadable(cause);
  }
}

function isKeyOf(x509: X509Certificate, keyPem: string): boolean {
  try {
    return x509.checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    return false;
  }
}
