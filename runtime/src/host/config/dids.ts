import { type DidList, MAX_DID_LIST_BYTES, parseDidList } from '../../transport/settings/dids.js';
import type { Env } from '../../transport/settings/env.js';
import { type FileSetting, fileSetting, fixedSetting } from '../../transport/settings/live-setting.js';

/**
 * The DIDs of one party: the public file of `<name>S_FILE` with one a line, the active one first, or the one of `<name>` or `<name>_FILE`.
 * Exactly one of the three must be given. Throws StartupRefused.
 */
export function didsOf(env: Env, name: 'CONTROL_DID' | 'GATEWAY_DID'): FileSetting<DidList> {
  const list = `${name}S_FILE`;
  const path = env.text(list, { maxBytes: 4096 });
  if (path === undefined) return fixedSetting([oneOf(env, name)]);
  const other = [name, `${name}_FILE`].find((single) => env.given(single));
  if (other !== undefined) throw env.refuse(list, `and ${env.name(other)} exclude one another`);
  return fileSetting([path], () => {
    const text = env.required(list, env.publicFile(list, MAX_DID_LIST_BYTES));
    return parsed(env, list, text);
  });
}

function oneOf(env: Env, name: string): string {
  const dids = parsed(env, name, env.required(name, env.secret(name, 512)));
  if (dids.length > 1) throw env.refuse(name, `must be one DID; ${env.name(`${name}S_FILE`)} takes more`);
  return dids[0];
}

function parsed(env: Env, name: string, text: string): DidList {
  try {
    return parseDidList(text);
  } catch (error) {
    throw env.refuse(name, (error as Error).message);
  }
}
