import type { Env } from './env.js';
import { type FileSetting, fileSetting } from './live-setting.js';
import { trustedRootsOf } from './tls.js';

/** Where a database is, and the authority of its certificate as PEM. */
interface Address {
  readonly url: string;
  readonly ca?: string | undefined;
}

/**
 * The database that a program is given: its URL in a variable, or in the file that `<name>_FILE` names, and its authority in the file of another
 * variable. Files are read again when they change, so that a password or an authority is exchanged without a restart. `check` throws for an address
 * that must not be used. Undefined when no URL is given. Throws StartupRefused.
 */
export function databaseOf(
  env: Env,
  { url: name, ca: caName }: { url: string; ca: string },
  check: (address: Address) => unknown,
): FileSetting<Address> | undefined {
  const ca = trustedRootsOf(env, caName);
  if (env.secret(name) === undefined) return undefined;
  const urlFile = env.given(name) ? undefined : env.text(`${name}_FILE`);
  return fileSetting([...(urlFile === undefined ? [] : [urlFile]), ...ca.files], () => {
    const address = { url: env.required(name, env.secret(name)), ca: ca.read() };
    try {
      check(address);
    } catch (error) {
      throw env.refuse(name, `is refused: ${(error as Error).message}`);
    }
    return address;
  });
}
