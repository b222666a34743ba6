import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type pg from 'pg';
import { NamedError } from '../protocol/errors/named-error.js';

/** Where a database is, and which authority its certificate must come from. */
export interface DatabaseAddress {
  /** `postgres://` or `postgresql://`; `sslmode` in it says how the connection is protected. */
  readonly url: string;
  /** Certificates of the authorities to trust, as PEM; those of the system unless given. */
  readonly ca?: string | undefined;
}

/** An address that must not be used as it is; the message says what to change, and has no password. */
function addressRefused(message: string, cause?: unknown): NamedError {
  return new NamedError(message, { name: 'DatabaseAddressRefused', cause });
}

/** Parameters of a URL that say how the connection is protected; what is left goes to the driver. */
const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl', 'uselibpqcompat'];
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * How to connect to an address, for the driver. Without `sslmode` (or with `allow` or `prefer`) the connection is verified where an authority is given, and
 * in plain text on this machine; in plain text to another machine only with `sslmode=disable`. `require` and `verify-full` check chain and name,
 * `verify-ca` the chain, `no-verify` nothing. Refuses an address that must not be used as it is.
 */
export function connectionOf({ url, ca }: DatabaseAddress): pg.ClientConfig {
  // The driver reports it with the first connection, without the password.
  if (!URL.canParse(url)) return { connectionString: url };
  const address = new URL(url);
  const parameter = (name: string): string | undefined => address.searchParams.get(name) ?? undefined;
  const mode = modeOf(parameter('sslmode'), parameter('ssl'));
  const [rootFile, certFile, keyFile] = [parameter('sslrootcert'), parameter('sslcert'), parameter('sslkey')];
  for (const name of TLS_PARAMETERS) address.searchParams.delete(name);
  const connectionString = address.href;
  const host = parameter('host') ?? decodeURIComponent(address.hostname).replace(/^\[(.+)\]$/, '$1');
  if (mode === 'disable' || (isOpen(mode) && ca === undefined && rootFile === undefined && isLocal(host)))
    return { connectionString, ssl: false };
  if (isOpen(mode) && ca === undefined && rootFile === undefined)
    throw addressRefused(
      `the URL of the database at ${host} has no sslmode: add sslmode=verify-full, with the certificate of its authority where that is not a public one, or sslmode=disable to send everything in plain text`,
    );
  const trusted = ca ?? (rootFile === undefined ? undefined : textOf('sslrootcert', rootFile));
  return {
    connectionString,
    ssl: {
      ...(trusted === undefined ? {} : { ca: trusted }),
      ...(certFile === undefined ? {} : { cert: textOf('sslcert', certFile) }),
      ...(keyFile === undefined ? {} : { key: textOf('sslkey', keyFile) }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: mode !== 'no-verify',
      checkServerIdentity: (_: string, certificate: PeerCertificate) =>
        mode === 'verify-ca' || mode === 'no-verify'
          ? undefined
          : process.getBuiltinModule('node:tls').checkServerIdentity(host, certificate),
    },
  };
}

function modeOf(sslmode: string | undefined, ssl: string | undefined): string | undefined {
  if (sslmode !== undefined && !MODES.includes(sslmode))
    throw addressRefused(`sslmode=${sslmode} of the database's URL is not one of ${MODES.join(', ')}`);
  if (sslmode !== undefined) return sslmode;
  if (ssl === undefined) return undefined;
  return ssl === 'no-verify' ? ssl : ssl === '0' || ssl === 'false' ? 'disable' : 'require';
}

/** Whether a mode leaves it to the two ends what is used. */
function isOpen(mode: string | undefined): boolean {
  return mode === undefined || mode === 'allow' || mode === 'prefer';
}

/** A socket of this machine, or its loopback interface. */
function isLocal(host: string): boolean {
  return host === '' || host.startsWith('/') || host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function textOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw addressRefused(`${name} of the database's URL: ${(cause as Error).message}`, cause);
  }
}
