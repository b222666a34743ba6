import { homedir } from 'node:os';
import { join } from 'node:path';

/** dev.json: how other programs find a running `aip dev` (docs/kubernetes/reference.md). */
export interface DevInfo {
  /** Whether every instance is as wanted. */
  ready: boolean;
  instances_ready: number;
  instances_total: number;
  gateway_url: string;
  /** Addresses of all gateways, the first one included. */
  gateways: string[];
  control_url: string;
  /** File with the bearer token of the first tenant's operator. */
  token_file: string;
  database_url: string;
  trust_domain: string;
  gateway: { principal_id: string; did: string };
  control_plane: { principal_id: string; did: string };
  instances: DevInstance[];
}

/** One instance in dev.json. */
export interface DevInstance {
  name: string;
  namespace: string;
  instance_id: string;
  version_id: string;
  manifest_digest: string;
  artifact_digest: string;
  config_revision: number;
  secret_provider_ref: string;
  capability_count: number;
  tenant_id: string;
  replicas: { replica_id: string; endpoint: string; did: string; managed: boolean }[];
  /** Where its provider sends webhook deliveries; only for instances that take them. */
  webhook_url?: string;
}

/** Where `aip dev` keeps everything when no flag names a folder: `$AIP_DEV_DATA`, then `$XDG_STATE_HOME/aip/dev`, else `~/.local/state/aip/dev`. */
export function defaultDataDir(env: NodeJS.ProcessEnv): string {
  if (env.AIP_DEV_DATA) return env.AIP_DEV_DATA;
  const state = env.XDG_STATE_HOME?.startsWith('/')
    ? env.XDG_STATE_HOME
    : join(env.HOME ?? homedir(), '.local', 'state');
  return join(state, 'aip', 'dev');
}

/** Every path under a data folder; nothing else is ever written there. */
export interface DataPaths {
  root: string;
  lock: string;
  processes: string;
  state: string;
  devJson: string;
  /** Conditions and events of the instances. */
  status: string;
  token: string;
  tokens: string;
  principals: string;
  keys: string;
  postgres: string;
  run: string;
  secrets: string;
  logs: string;
  requests: string;
  cache: string;
}

/** The paths of one data folder. */
export function dataPaths(root: string): DataPaths {
  const at = (name: string): string => join(root, name);
  return {
    root,
    lock: at('lock.json'),
    processes: at('processes.json'),
    state: at('state.json'),
    devJson: at('dev.json'),
    status: at('status.json'),
    token: at('token'),
    tokens: at('tokens'),
    principals: at('principals.json'),
    keys: at('keys'),
    postgres: at('postgres'),
    run: at('run'),
    secrets: at('secrets'),
    logs: at('logs'),
    requests: at('requests'),
    cache: at('cache'),
  };
}
