import { connectionOf, type DatabaseAddress } from '../../postgres/address.js';
import type { Env } from './env.js';
import { type FileSetting, fileSetting } from './live-setting.js';
import { trustedRootsOf } from './tls.js';

/**
 * The database that a program is given: its URL in a variable, or in the file that `<name>_FILE` names, and its authority in the file of another
 * variable. Files are read again when they change, so that a password or an authority is exchanged without a restart. Undefined when no URL is
 * given. Throws StartupRefused.
 */
export function databaseOf(env: Env, name: string, caName: string): FileSetting<DatabaseAddress> | undefined {
  const ca = trustedRootsOf(env, caName);
  if (env.secret(name) === undefined) return undefined;
  const urlFile = env.given(name) ? undefined : env.text(`${name}_FILE`);
  return fileSetting([...(urlFile === undefined ? [] : [urlFile]), ...ca.files], () => {
    const address = { url: env.required(name, env.secret(name)), ca: ca.read() };
    try {
      connectionOf(address);
    } catch (error) {
      throw env.refuse(name, `is refused: ${(error as Error).message}`);
    }
    return address;
  });
}
