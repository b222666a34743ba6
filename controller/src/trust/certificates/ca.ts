import { randomBytes, webcrypto } from 'node:crypto';
import { permittedDomains } from './name-constraints.js';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from './x509.js';

const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Certificates begin this long before they are made: the clocks of two machines differ. */
const BACKDATED_MS = 300_000;
/** A common name has at most 64 characters (X.520). */
const MAX_COMMON_NAME = 64;

/** Certificate and private key (PKCS #8), both PEM. */
export interface KeyPairPem {
  readonly certPem: string;
  readonly keyPem: string;
}

/** A fresh certificate; `notAfter` in ms since the epoch, whole seconds. */
export interface IssuedCertificate extends KeyPairPem {
  readonly notAfter: number;
}

/** What a new certificate authority is like; times in ms since the epoch. */
export interface CaOptions {
  readonly now: number;
  /** Life in days; 3650 unless given. */
  readonly days?: number | undefined;
  /** DNS domains that leaves are confined to, such as `svc`; no bound unless given. */
  readonly permittedDomains?: readonly string[] | undefined;
}

/** What a leaf is for; times in ms since the epoch. At least one name. */
export interface LeafOptions {
  readonly dnsNames: readonly string[];
  readonly ipAddresses?: readonly string[] | undefined;
  /** Life in days; 90 unless given. Never longer than the authority's. */
  readonly days?: number | undefined;
  readonly now: number;
}

/** A self-signed ECDSA P-256 authority that signs leaves only (path length 0). Each has a subject of its own, so that two can be distinguished. */
export async function createCa({ now, days = 3650, permittedDomains: domains }: CaOptions): Promise<IssuedCertificate> {
  const keys = await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const notAfter = wholeSeconds(now + days * DAY_MS);
  const extensions: Extension[] = [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
  if (domains !== undefined && domains.length > 0) extensions.push(permittedDomains(domains));
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: randomSerial(),
    name: [{ CN: [`AIP fleet CA ${randomBytes(4).toString('hex')}`] }],
    notBefore: new Date(wholeSeconds(now - BACKDATED_MS)),
    notAfter: new Date(notAfter),
    signingAlgorithm: SIGNING,
    keys,
    extensions,
  });
  return { certPem: pemOf(certificate), keyPem: await keyPemOf(keys.privateKey), notAfter };
}

/** A TLS server leaf with a new key. Throws a RangeError without a name; an error of the crypto library when the authority's texts are no pair. */
export async function issueLeaf(ca: KeyPairPem, options: LeafOptions): Promise<IssuedCertificate> {
  const { dnsNames, ipAddresses = [], days = 90, now } = options;
  const names: JsonGeneralName[] = [
    ...dnsNames.map((value) => ({ type: 'dns', value }) as const),
    ...ipAddresses.map((value) => ({ type: 'ip', value }) as const),
  ];
  const [first] = names;
  if (first === undefined) throw new RangeError('a leaf needs a DNS name or an IP address');
  const authority = new X509Certificate(ca.certPem);
  const [signingKey, keys] = await Promise.all([
    webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(ca.keyPem), P256, false, ['sign']),
    webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']),
  ]);
  const notAfter = Math.min(wholeSeconds(now + days * DAY_MS), authority.notAfter.getTime());
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject: [{ CN: [first.value.slice(0, MAX_COMMON_NAME)] }],
    issuer: authority.subjectName,
    notBefore: new Date(Math.max(wholeSeconds(now - BACKDATED_MS), authority.notBefore.getTime())),
    notAfter: new Date(notAfter),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']),
      new SubjectAlternativeNameExtension(names),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ],
  });
  return { certPem: pemOf(certificate), keyPem: await keyPemOf(keys.privateKey), notAfter };
}

/** 127 random bits: positive, and never zero in practice (RFC 5280 §4.1.2.2). */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function keyPemOf(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}
