/** Variables from which a host that is started by hand takes what the fleet gives as configuration and secret files. */
export interface ConnectorEnvironment {
  /** Begins every variable, such as `AIP_CHATWOOT_`. */
  prefix: string;
  /** The member of the configuration that each variable gives, without the prefix. */
  config: Record<string, { member: string; form: 'text' | 'integer' | 'boolean' | 'json_file' }>;
  /** The secret file, by its name among the secrets of an instance, whose path each variable gives. */
  secrets: Record<string, string>;
}
