import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../http/server.js';
import type { Env } from './env.js';
import { type FileSetting, fileSetting, fixedSetting } from './live-setting.js';

const MAX_KEY_BYTES = 65_536;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * The server certificate of TLS_CERT_FILE and its key of TLS_KEY_FILE; undefined when neither is given. A pair that does not fit is
 * refused. Throws StartupRefused.
 */
export function serverTlsOf(env: Env): FileSetting<TlsFiles> | undefined {
  const [certFile, keyFile] = [env.text('TLS_CERT_FILE'), env.text('TLS_KEY_FILE')];
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw env.refuse('TLS_CERT_FILE', `and ${env.name('TLS_KEY_FILE')} must be given together`);
  }
  return fileSetting([certFile, keyFile], () => {
    const cert = env.required('TLS_CERT_FILE', env.publicFile('TLS_CERT_FILE'));
    const key = env.required('TLS_KEY_FILE', env.secretFile('TLS_KEY_FILE', MAX_KEY_BYTES));
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      throw env.refuse('TLS_CERT_FILE', `and ${env.name('TLS_KEY_FILE')} do not fit: ${(error as Error).message}`);
    }
    return { cert, key };
  });
}

/** The PEM certificates of the public file of a variable, trusted besides the public roots; undefined without it. Throws StartupRefused. */
export function trustedRootsOf(env: Env, name: string): FileSetting<string | undefined> {
  const file = env.text(name);
  if (file === undefined) return fixedSetting(undefined);
  return fileSetting([file], () => {
    const pem = env.required(name, env.publicFile(name));
    const certificates = pem.match(CERTIFICATE) ?? [];
    if (certificates.length === 0 || !certificates.every(isCertificate))
      throw env.refuse(name, 'must hold certificates in PEM form');
    return pem;
  });
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
