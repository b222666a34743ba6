import { CONTROLLER_PREFIX, readControllerConfig } from '#controller/cluster/process/config.js';
import { readControlPlaneConfig } from '#controller/control-plane/config.js';
import { readConfig } from '#runtime/gateway/config.js';
import { readHostConfig } from '#runtime/host/config/config.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';

/** What a program reads from its environment, and the test file that shows the effect of each variable. */
export interface ProgramVariables {
  /** Begins the title of its section in docs/configuration.md. */
  readonly section: string;
  readonly prefix: string;
  readonly read: (source: Record<string, string | undefined>) => unknown;
  /** Values with which every branch is read; files by what they hold. */
  readonly values: Readonly<Record<string, string>>;
  /** Variables of other prefixes on which it depends what is read. */
  readonly others?: Readonly<Record<string, string>>;
  readonly tests: Readonly<Record<string, string>>;
}

/** Files of the values below: their names in a folder, and what they hold. */
export const FILES: Readonly<Record<string, string>> = {
  seed: newSeedHex(),
  url: 'postgres://localhost/aip',
  password: 'secret',
  dids: signingKeyFromSeed(newSeedHex()).did,
  list: '[]',
  authority: '[]',
};

const inFolder = (name: string): string => `FOLDER/${name}`;
const DID = FILES.dids as string;
const ID = '018f3c0e6b7a7c1d9e2f001122330a01';

/** The variables of one test file. */
const by = (file: string, names: string): Record<string, string> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, file]),
  );

const GATEWAY: ProgramVariables = {
  section: 'Gateway',
  prefix: 'AIP_GATEWAY_',
  read: readConfig,
  values: {
    POSTGRES_URL: FILES.url as string,
    CONNECTOR_REGISTRY_URL: FILES.url as string,
    CONNECTOR_FLEET_SIGNING_SEED_FILE: inFolder('seed'),
    CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    NATIVE_BEARER_TOKEN: 'token',
    ALLOW_UNSIGNED_ENVELOPES: 'true',
    DELEGATION_HTTP_ROUTES: `agent:a=https://a.example/aip/v1/messages,agent:a,${DID}`,
    NATS_URL: 'nats://localhost:4222',
  },
  tests: {
    ...by(
      'test/system/settings/gateway.test.ts',
      `SERVICE_ID TRUST_DOMAIN LOG_LEVEL POSTGRES_URL POSTGRES_URL_FILE NATIVE_PRINCIPAL NATIVE_PRINCIPAL_SCOPES
      NATIVE_TENANT_ID NATIVE_BEARER_TOKEN NATIVE_BEARER_TOKEN_FILE CALLBACK_TIMEOUT_MS CALLBACK_MAX_RESPONSE_BYTES CALLBACK_MAX_IN_FLIGHT
      CALLBACK_RECOVERY_BATCH CALLBACK_ALLOWED_HOSTS CALLBACK_ALLOW_HTTP CALLBACK_ALLOW_PRIVATE_NETWORKS CALLBACK_SIGNING_SEED_FILE
      CALLBACK_SIGNING_SEED_HEX CONNECTOR_FLEET_MAX_DOCUMENT_BYTES CONNECTOR_FLEET_ALLOWED_HOSTS CONNECTOR_FLEET_ALLOW_HTTP
      CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS CONNECTOR_REGISTRY_URL CONNECTOR_REGISTRY_URL_FILE`,
    ),
    ...by(
      'test/system/settings/gateway-queue.test.ts',
      `NAME CONNECTOR_FLEET_MAX_IN_FLIGHT CONNECTOR_FLEET_MAX_IN_FLIGHT_PER_TENANT CONNECTOR_FLEET_MAX_QUEUED CONNECTOR_FLEET_MAX_QUEUED_PER_TENANT
      CONNECTOR_FLEET_MAX_QUEUE_BYTES CONNECTOR_FLEET_MAX_QUEUE_AGE_MS CONNECTOR_FLEET_TENANT_WEIGHTS CONNECTOR_FLEET_MAX_CACHED_CLIENTS
      CONNECTOR_REGISTRY_ACQUIRE_TIMEOUT_MS`,
    ),
    ...by(
      'test/system/settings/gateway-fleet.test.ts',
      `CONNECTOR_FLEET_REGION CONNECTOR_FLEET_ZONE CONNECTOR_FLEET_CAPACITY_CLASS CONNECTOR_FLEET_DISABLE_CROSS_REGION_FAILOVER
      CONNECTOR_FLEET_MAX_REQUEST_BYTES CONNECTOR_FLEET_TIMEOUT_MS CONNECTOR_FLEET_MAX_RESPONSE_BYTES CONNECTOR_FLEET_RETRY_BUDGET
      CONNECTOR_REGISTRY_DATA_MAX_CONNECTIONS POSTGRES_MAX_CONNECTIONS`,
    ),
    ...by('test/runtime/gateway/support/process.ts', 'BIND'),
    ...by(
      'test/system/settings/gateway-ingress.test.ts',
      `CONNECTOR_EVENT_MAX_ENVELOPE_BYTES CONNECTOR_EVENT_MAX_EVENTS_PER_ENVELOPE CONNECTOR_EVENT_MAX_EVENT_BYTES CONNECTOR_STREAM_MAX_CHUNK_BYTES
      CONNECTOR_EVENT_MAX_IN_FLIGHT CONNECTOR_EVENT_MAX_AGE_SECONDS CONNECTOR_EVENT_MAX_FUTURE_SKEW_SECONDS
      CONNECTOR_STREAM_CALLBACK_MAX_AGE_SECONDS`,
    ),
    ...by(
      'test/system/settings/gateway-retention.test.ts',
      `RETENTION_EVENTS_DAYS RETENTION_DEAD_LETTERS_DAYS RETENTION_ASSIGNMENTS_DAYS RETENTION_DOCUMENTS_DAYS
      RETENTION_CALLBACK_DELIVERIES_DAYS RETENTION_OUTBOX_DAYS RETENTION_SESSIONS_DAYS RETENTION_ACTIONS_DAYS RETENTION_REPLAY_CLAIMS_MINUTES
      RETENTION_APPROVALS_DAYS RETENTION_REPORTS_DAYS RETENTION_AUDIT_DAYS`,
    ),
    ...by(
      'test/system/settings/tls.test.ts',
      'POSTGRES_CA_FILE CONNECTOR_REGISTRY_CA_FILE CALLBACK_TLS_CA_FILE DELEGATION_TLS_CA_FILE',
    ),
    ...by(
      'test/system/settings/broker.test.ts',
      'NATS_USERNAME NATS_PASSWORD_FILE NATS_TLS_CA_FILE NATS_TRUST_DOMAIN NATS_VERSION NATS_MAX_IN_FLIGHT',
    ),
    ...by(
      'test/runtime/gateway/endpoints/broker/broker.test.ts',
      'NATS_URL NATS_SERVICE NATS_QUEUE_GROUP NATS_REQUEST_TIMEOUT_MS NATS_MAX_IN_FLIGHT_PER_SIGNER DELEGATION_NATS_ROUTES',
    ),
    ...by(
      'test/runtime/gateway/support/delegations.ts',
      'DELEGATION_HTTP_ROUTES DELEGATION_ALLOW_HTTP DELEGATION_ALLOW_PRIVATE_NETWORKS CONNECTOR_FLEET_SIGNING_SEED_FILE',
    ),
    ...by('test/runtime/gateway/peers/delegations/two-fleets.test.ts', 'DELEGATION_REPORT_URL'),
    ...by('test/runtime/gateway/edge/modes.test.ts', 'ALLOW_UNSIGNED_ENVELOPES INSECURE_DEVELOPMENT'),
    ...by('test/runtime/gateway/edge/configuration.test.ts', 'REQUIRE_SIGNED_ENVELOPES TRUSTED_SIGNERS'),
    ...by('test/system/docs/client.test.ts', 'TRUSTED_SIGNER_FILE'),
    ...by('test/system/settings/support.ts', 'PRINCIPALS_FILE'),
    ...by('test/runtime/gateway/approvals/http.test.ts', 'APPROVAL_AUTHORITY_FILE'),
    ...by('test/system/red-team/clock.test.ts', 'MAX_CLOCK_SKEW_MS'),
    ...by('test/system/red-team/bodies.test.ts', 'MAX_UNFINISHED_BODY_BYTES'),
    ...by('test/system/red-team/large-inputs.test.ts', 'MAX_ANSWERED_BODY_BYTES'),
    ...by('test/system/red-team/stock.test.ts', 'MAX_STORED_RECORDS_PER_TENANT MAX_STORED_BYTES_PER_TENANT'),
    ...by('test/runtime/gateway/records/stock/action-stock.test.ts', 'MAX_STORED_ACTIONS_PER_TENANT'),
    ...by('test/runtime/gateway/stop.test.ts', 'DRAIN_MS'),
    ...by('test/runtime/gateway/hung-database.test.ts', 'POSTGRES_STATEMENT_TIMEOUT_MS'),
    ...by(
      'test/runtime/gateway/events/followers.test.ts',
      'MAX_FOLLOWERS MAX_FOLLOWERS_PER_TENANT MAX_FOLLOWERS_PER_PRINCIPAL',
    ),
    ...by(
      'test/runtime/gateway/endpoints/websocket/shares.test.ts',
      'MAX_WEBSOCKETS MAX_WEBSOCKETS_PER_TENANT MAX_WEBSOCKETS_PER_PRINCIPAL',
    ),
    ...by('test/runtime/gateway/callbacks/admission.test.ts', 'RECONCILIATION_MAX_IN_FLIGHT'),
    ...by(
      'test/system/fleet/trust/trust-testbed.ts',
      'TLS_CERT_FILE TLS_KEY_FILE CONNECTOR_FLEET_OWN_DIDS_FILE CONNECTOR_FLEET_TLS_CA_FILE CONNECTOR_FLEET_CALLBACK_URL',
    ),
  },
};

const HOST: ProgramVariables = {
  section: 'Host',
  prefix: 'AIP_CONNECTOR_HOST_',
  read: readHostConfig,
  values: {
    PUBLIC_ENDPOINT: 'https://host.example/aip/v1/messages',
    CONTROL_ENDPOINT: 'https://control.example/aip/v1/connector-control',
    CONTROL_DID: DID,
    GATEWAY_DID: DID,
    GATEWAY_PRINCIPAL_ID: 'service:gateway',
    DATABASE_URL: FILES.url as string,
    SIGNING_SEED_FILE: inFolder('seed'),
    TYPE_ID: `ctype_${ID}`,
    VERSION_ID: `cver_${ID}`,
    INSTANCE_ID: `cinst_${ID}`,
    REPLICA_ID: `crepl_${ID}`,
    TENANT_ID: 'acme',
    TRUST_DOMAIN: 'local',
    ARTIFACT_DIGEST: `sha256:${'ab'.repeat(32)}`,
    SECRET_PROVIDER_REF: 'none',
    CONNECTOR: 'demo',
    CREDENTIAL_ID: 'c',
    CREDENTIAL_ISSUER: 'i',
    CREDENTIAL_REVISION: 'r',
    CREDENTIAL_SCOPES: 's',
  },
  tests: {
    ...by(
      'test/system/settings/host.test.ts',
      `REGION ZONE CAPACITY_CLASS MAX_IN_FLIGHT CONFIG_REVISION LEASE_TTL_MS HEARTBEAT_MS PUBLIC_ENDPOINT ARTIFACT_DIGEST SECRET_PROVIDER_REF
      CREDENTIAL_ID CREDENTIAL_ISSUER CREDENTIAL_REVISION CREDENTIAL_SCOPES TENANT_SYSTEM EXTERNAL_ACCOUNT_ID EXTERNAL_ACCOUNT_SYSTEM
      CONFIG CONFIG_FILE CONTROL_DID CONTROL_DID_FILE GATEWAY_DID GATEWAY_DID_FILE DATABASE_URL_FILE CONNECTOR CONNECTOR_MODULE
      MAX_BODY_BYTES HEALTH_TIMEOUT_MS CONTROL_TIMEOUT_MS DATABASE_CONNECTIONS JOURNAL_DURABILITY LOG_LEVEL WEBHOOK_PREVIOUS_SECRET_MS INSTANCE_ID`,
    ),
    ...by(
      'test/runtime/host/support/testbed.ts',
      `BIND CONTROL_ENDPOINT GATEWAY_PRINCIPAL_ID SIGNING_SEED_FILE TYPE_ID VERSION_ID REPLICA_ID TENANT_ID TRUST_DOMAIN ALLOW_LOOPBACK_HTTP
      CALLBACK_ENDPOINT CALLBACK_ALLOW_HTTP CALLBACK_ALLOW_PRIVATE EVENT_ENDPOINT EVENT_ALLOW_HTTP EVENT_ALLOW_PRIVATE`,
    ),
    ...by('test/runtime/host/config/dids.test.ts', 'CONTROL_DIDS_FILE GATEWAY_DIDS_FILE'),
    ...by('test/runtime/host/start/start.test.ts', 'NAME_WAIT_MS DATABASE_URL'),
    ...by('test/runtime/host/drain.test.ts', 'DRAIN_TIMEOUT_MS'),
    ...by('test/runtime/host/gate/local-validity.test.ts', 'CREDENTIAL_POLICY_FILE'),
    ...by('test/runtime/host/secrets.test.ts', 'SECRETS_DIR'),
    ...by('test/system/red-team/bodies.test.ts', 'MAX_UNFINISHED_BODY_BYTES'),
    ...by('test/runtime/host/gate/large-inputs.test.ts', 'MAX_ANSWERED_BODY_BYTES'),
    ...by('test/runtime/host/webhook/start.test.ts', 'WEBHOOK_PATH_PREFIX'),
    ...by('test/system/fleet/trust/trust-testbed.ts', 'TLS_CERT_FILE TLS_KEY_FILE TLS_CA_FILE'),
    ...by('test/system/settings/tls.test.ts', 'DATABASE_CA_FILE'),
  },
};

const CONTROL_PLANE: ProgramVariables = {
  section: 'Control plane',
  prefix: 'AIP_CONNECTOR_CONTROL_',
  read: readControlPlaneConfig,
  values: {
    BIND: '0.0.0.0:0',
    ALLOW_PROXY_NETWORK_BIND: 'true',
    DATABASE_URL: FILES.url as string,
    SIGNING_SEED_FILE: inFolder('seed'),
  },
  tests: {
    ...by(
      'test/system/settings/control-plane.test.ts',
      'BIND DATABASE_URL SIGNING_SEED_FILE LEASE_TTL_MS MAX_CONNECTIONS ACQUIRE_TIMEOUT_MS DATABASE_URL_FILE',
    ),
    ...by('test/controller/control-plane/process.test.ts', 'TLS_CERT_FILE TLS_KEY_FILE ALLOW_PROXY_NETWORK_BIND'),
    ...by('test/system/settings/tls.test.ts', 'DATABASE_CA_FILE'),
  },
};

const CONTROLLER: ProgramVariables = {
  section: 'Controller',
  prefix: CONTROLLER_PREFIX,
  read: readControllerConfig,
  values: {
    NAMESPACE: 'aip',
    RELEASE: 'aip',
    POD_NAME: 'aip-controller-0',
    TRUST_DOMAIN: 'local',
    RUNTIME_IMAGE: 'registry.example/runtime:1',
    DATABASE_URL: FILES.url as string,
  },
  others: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' },
  tests: {
    ...by(
      'test/system/kube/controller/settings.test.ts',
      `NAMESPACE RELEASE POD_NAME TRUST_DOMAIN CLUSTER_DOMAIN RUNTIME_IMAGE ALLOW_IMAGE_TAGS WATCH_NAMESPACES QUOTA_POLICIES_FILE
      GATEWAY_URL CONTROL_URL GATEWAY_PRINCIPAL_ID GATEWAY_DNS_NAMES CONTROL_DNS_NAMES CERT_MANAGER_ISSUER NETWORK_POLICY HOST_EGRESS
      SERVICE_ACCOUNT_ROOT HOST_OTLP_HEADERS_SECRET WEBHOOKS LEASE_TTL_MS MAX_CONNECTIONS ACQUIRE_TIMEOUT_MS WORKERS ROTATION_OVERLAP_SECONDS`,
    ),
    ...by('test/system/kube/controller/ownership.test.ts', 'RESYNC_SECONDS'),
    ...by('test/system/kube/controller/support/fleet.ts', 'DATABASE_URL TENANCY CONTROL_BIND ADMIN_BIND KUBECONFIG'),
    ...by('test/system/kube/controller/database.test.ts', 'DATABASE_URL_FILE DATABASE_CA_FILE'),
  },
};

/** The programs that are configured by variables of their own prefix. */
export const PROGRAMS: readonly ProgramVariables[] = [GATEWAY, HOST, CONTROL_PLANE, CONTROLLER];
