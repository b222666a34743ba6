import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandMissing, run } from '../process/command.ts';
import { ClusterUnavailable } from '../unavailable.ts';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority whose files lie in a folder: `ca.crt` and `ca.key`. */
export interface Authority {
  /** Its certificate, PEM. */
  readonly cert: string;
  /** A leaf for a server that answers under these DNS names and addresses. */
  server(commonName: string, names: readonly string[], addresses: readonly string[]): Promise<KeyPair>;
  /** A leaf for a client: the user name, and the groups it belongs to. */
  client(user: string, groups?: readonly string[]): Promise<KeyPair>;
}

const AUTHORITY = ['basicConstraints = critical, CA:true', 'keyUsage = critical, keyCertSign, cRLSign'];
const LEAF = ['basicConstraints = critical, CA:false', 'keyUsage = critical, digitalSignature'];

/** Makes a new authority in a folder; all certificates are valid for a year. Throws ClusterUnavailable without openssl. */
export async function createAuthority(folder: string, commonName: string): Promise<Authority> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = await certify(`/CN=${commonName}`, AUTHORITY);
  await writeKeyPair(folder, 'ca', own);
  const issuer = ['-CA', join(folder, 'ca.crt'), '-CAkey', join(folder, 'ca.key')];
  return {
    cert: own.cert,
    server: (name, names, addresses) => {
      const alternatives = [...names.map((dns) => `DNS:${dns}`), ...addresses.map((ip) => `IP:${ip}`)];
      const usage = ['extendedKeyUsage = serverAuth', `subjectAltName = ${alternatives.join(', ')}`];
      return certify(`/CN=${escaped(name)}`, [...LEAF, ...usage], issuer);
    },
    client: (user, groups = []) => {
      const subject = [...groups.map((group) => `/O=${escaped(group)}`), `/CN=${escaped(user)}`].join('');
      return certify(subject, [...LEAF, 'extendedKeyUsage = clientAuth'], issuer);
    },
  };
}

/** The key pair, both PEM, that signs service account tokens and proves them. */
export function createTokenKeys(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Writes `<name>.crt` and `<name>.key`. */
export async function writeKeyPair(folder: string, name: string, pair: KeyPair): Promise<void> {
  await writeFile(join(folder, `${name}.crt`), pair.cert);
  await writeFile(join(folder, `${name}.key`), pair.key, { mode: 0o600 });
}

/** A new P-256 key and a certificate for it, signed by the issuer or on its own. */
async function certify(
  subject: string,
  extensions: readonly string[],
  issuer: readonly string[] = [],
): Promise<KeyPair> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-keyout', '-', '-out', '-'];
  const certificate = ['-x509', '-sha256', '-days', '365', '-subj', subject, '-utf8'];
  const added = extensions.flatMap((extension) => ['-addext', extension]);
  try {
    return split(
      await run('openssl', ['req', '-batch', '-config', '/dev/null', ...key, ...certificate, ...added, ...issuer]),
    );
  } catch (error) {
    throw error instanceof CommandMissing ? new ClusterUnavailable(error.message) : error;
  }
}

/** Takes the two PEM blocks of one text apart. */
function split(text: string): KeyPair {
  const block = (label: string): string =>
    `${new RegExp(`-----BEGIN ${label}-----[^]+?-----END ${label}-----`).exec(text)?.[0]}\n`;
  return { cert: block('CERTIFICATE'), key: block('PRIVATE KEY') };
}

/** openssl reads `/`, `+` and `=` of a subject as its structure. */
function escaped(value: string): string {
  return value.replaceAll(/[\\/+=]/g, '\\$&');
}
