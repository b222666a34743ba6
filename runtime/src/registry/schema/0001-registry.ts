/**
 * The first tables of schema `registry`: what the fleet is. Times are integer milliseconds since the epoch; documents are `json`, so that
 * numbers and member order stay as they were admitted. Digests and ids compare bytewise.
 */
export const registryTables = {
  id: 1,
  name: 'registry',
  sql: `
-- One row: the catalog revision, raised by every effective write of what may be called by whom. Replica writes never raise it.
CREATE TABLE registry.catalog (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  revision bigint NOT NULL DEFAULT 0 CHECK (revision >= 0),
  published_at bigint NOT NULL DEFAULT 0
);
INSERT INTO registry.catalog DEFAULT VALUES;

CREATE TABLE registry.types (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  owner text NOT NULL,
  enabled boolean NOT NULL
);

CREATE TABLE registry.versions (
  id text COLLATE "C" PRIMARY KEY,
  type_id text COLLATE "C" NOT NULL REFERENCES registry.types,
  label text NOT NULL,
  status text NOT NULL CHECK (status IN ('admitted', 'active', 'revoked')),
  manifest json NOT NULL,
  manifest_digest text COLLATE "C" NOT NULL,
  artifact_digest text COLLATE "C" NOT NULL,
  attestation json NOT NULL,
  implementation_support json NOT NULL,
  capability_count integer NOT NULL,
  admitted_at bigint NOT NULL
);
CREATE INDEX versions_type ON registry.versions (type_id);

-- One definition of a capability in the whole fleet.
CREATE TABLE registry.capabilities (
  id text COLLATE "C" PRIMARY KEY,
  record json NOT NULL,
  canonical_bytes integer NOT NULL,
  search_text text NOT NULL,
  contract_digest text NOT NULL,
  schema_digest text NOT NULL
);

CREATE TABLE registry.version_capabilities (
  version_id text COLLATE "C" NOT NULL REFERENCES registry.versions,
  capability_id text COLLATE "C" NOT NULL REFERENCES registry.capabilities,
  PRIMARY KEY (version_id, capability_id)
);
CREATE INDEX version_capabilities_capability ON registry.version_capabilities (capability_id);

CREATE TABLE registry.version_profiles (
  version_id text COLLATE "C" NOT NULL REFERENCES registry.versions,
  profile text COLLATE "C" NOT NULL,
  PRIMARY KEY (version_id, profile)
);

CREATE TABLE registry.instances (
  id text COLLATE "C" PRIMARY KEY,
  type_id text COLLATE "C" NOT NULL REFERENCES registry.types,
  version_id text COLLATE "C" NOT NULL REFERENCES registry.versions,
  tenant_id text COLLATE "C" NOT NULL,
  config_revision bigint NOT NULL CHECK (config_revision > 0),
  secret_provider_ref text NOT NULL,
  enabled boolean NOT NULL
);
CREATE INDEX instances_tenant ON registry.instances (tenant_id);
CREATE INDEX instances_version ON registry.instances (version_id);

-- health_revision is the lease sequence. A replica belongs to the version it was provisioned for, also after its instance moved on.
CREATE TABLE registry.replicas (
  id text COLLATE "C" PRIMARY KEY,
  instance_id text COLLATE "C" NOT NULL REFERENCES registry.instances,
  version_id text COLLATE "C" NOT NULL REFERENCES registry.versions,
  endpoint text NOT NULL,
  peer_principal_id text NOT NULL,
  peer_principal_kind text NOT NULL,
  peer_did text NOT NULL,
  trust_domain text NOT NULL,
  transport_profile text NOT NULL,
  region text NOT NULL,
  zone text NOT NULL,
  capacity_class text NOT NULL,
  status text NOT NULL DEFAULT 'offline' CHECK (status IN ('ready', 'draining', 'offline')),
  lease_expires_at bigint NOT NULL DEFAULT 0,
  capacity integer NOT NULL CHECK (capacity > 0),
  active integer NOT NULL DEFAULT 0 CHECK (active >= 0),
  health_revision bigint NOT NULL DEFAULT 0,
  config_revision bigint NOT NULL CHECK (config_revision > 0),
  consecutive_failures integer NOT NULL DEFAULT 0,
  circuit_open_until bigint NOT NULL DEFAULT 0,
  last_request_id text,
  last_request_digest text,
  CHECK (active <= capacity)
) WITH (fillfactor = 50);
CREATE INDEX replicas_instance ON registry.replicas (instance_id);
CREATE INDEX replicas_lease ON registry.replicas (lease_expires_at) WHERE status <> 'offline';

CREATE TABLE registry.policies (
  ref text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL CHECK (revision > 0),
  enabled boolean NOT NULL,
  limits json NOT NULL
);

CREATE TABLE registry.bindings (
  tenant_id text COLLATE "C" NOT NULL,
  capability_id text COLLATE "C" NOT NULL REFERENCES registry.capabilities,
  instance_id text COLLATE "C" NOT NULL REFERENCES registry.instances,
  priority bigint NOT NULL,
  policy_revision bigint NOT NULL CHECK (policy_revision > 0),
  credential_revision_ref text,
  quota_policy_ref text REFERENCES registry.policies,
  enabled boolean NOT NULL,
  PRIMARY KEY (tenant_id, capability_id, instance_id)
);
CREATE INDEX bindings_instance ON registry.bindings (instance_id);

-- Work in flight by admission scope; a scope without a limit has no row.
CREATE TABLE registry.policy_counters (
  scope text NOT NULL,
  key text COLLATE "C" NOT NULL,
  active integer NOT NULL DEFAULT 0 CHECK (active >= 0),
  PRIMARY KEY (scope, key)
) WITH (fillfactor = 50);

-- The pinned destination of each action: what is copied here never changes, only reserved, held, settlement and updated_at do.
CREATE TABLE registry.assignments (
  action_id text COLLATE "C" PRIMARY KEY,
  capability_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  instance_id text COLLATE "C" NOT NULL,
  replica_id text COLLATE "C" NOT NULL,
  version_id text COLLATE "C" NOT NULL,
  manifest_digest text NOT NULL,
  endpoint text NOT NULL,
  peer_principal_id text NOT NULL,
  peer_principal_kind text NOT NULL,
  peer_did text NOT NULL,
  trust_domain text NOT NULL,
  transport_profile text NOT NULL,
  catalog_revision bigint NOT NULL,
  binding_policy_revision bigint NOT NULL,
  credential_revision_ref text,
  quota_policy_ref text,
  replica_health_revision bigint NOT NULL,
  fence_token text COLLATE "C" NOT NULL UNIQUE,
  assigned_at bigint NOT NULL,
  admission json NOT NULL,
  reserved boolean NOT NULL,
  held json NOT NULL,
  settlement text CHECK (settlement IN ('completed', 'outcome_unknown', 'cancelled', 'refused', 'lease_expired')),
  updated_at bigint NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX assignments_reserved ON registry.assignments (replica_id) WHERE reserved;
CREATE INDEX assignments_settled ON registry.assignments (updated_at) WHERE NOT reserved;

-- Lifecycle request ids until their window has passed.
CREATE TABLE registry.control_replay (
  request_id text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL,
  claimed_at bigint NOT NULL
);
CREATE INDEX control_replay_expiry ON registry.control_replay (expires_at);
`,
} as const;
