const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Version of the protocol, written into every envelope. */
export const AIP_VERSION = '1.0';

/** Bounds of the protocol records (docs/protocol/limits.md). Sizes in bytes, times in milliseconds. */
export const MAX_WAIT_MS = 30 * SECOND;
export const MAX_LIST_ITEMS = 1000;
export const MAX_DELEGATION_HOPS = 10;
export const MAX_SCHEMA_DEPTH = 128;
export const MAX_SCHEMA_NODES = 100_000;
export const MAX_SCHEMA_BYTES = 8 * MIB;
export const MAX_SCHEMA_ISSUES = 16;
export const MAX_EVENT_KIND_BYTES = 256;
export const MAX_CREDENTIAL_REF_BYTES = 256;
export const MAX_ERROR_TEXT_BYTES = 1024;

/** Paging (docs/protocol/limits.md). */
export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1000;
export const MAX_PAGE_BYTES = 4 * MIB;
export const DEFAULT_CATALOG_PAGE_SIZE = 100;
export const MAX_CATALOG_PAGE_SIZE = 200;

/** Following (docs/protocol/limits.md). */
export const FOLLOW_POLL_MS = 500;
export const KEEP_ALIVE_MS = 15 * SECOND;
export const MAX_WEBSOCKET_SUBSCRIPTIONS = 16;
export const WEBSOCKET_BUFFER_FRAMES = 8;

/** Freshness and replay (docs/protocol/limits.md, docs/protocol/limits.md). */
export const REPLAY_WINDOW_MS = 5 * MINUTE;
export const FUTURE_SKEW_MS = 30 * SECOND;
export const ANSWER_FRESHNESS_MS = 5 * MINUTE;

/** Lifecycle requests and leases (docs/protocol/limits.md, docs/protocol/limits.md). */
export const MAX_LIFECYCLE_BYTES = 64 * KIB;
export const LIFECYCLE_LIFETIME_MS = 30 * SECOND;
export const LIFECYCLE_SKEW_MS = 5 * SECOND;
export const LEASE_TTL_MS = 30 * SECOND;
export const MIN_LEASE_TTL_MS = SECOND;
export const MAX_LEASE_TTL_MS = 5 * MINUTE;
export const HEARTBEAT_MS = 10 * SECOND;

/** The connector host (docs/protocol/limits.md, docs/protocol/limits.md). */
export const HOST_BODY_BYTES = 4 * MIB;
export const MAX_MANIFEST_BYTES = 4 * MIB;
export const MAX_MANIFEST_CAPABILITIES = 512;
export const HOST_CONCURRENCY = 32;
export const DRAIN_MS = 30 * SECOND;
export const MAX_DRAIN_MS = 5 * MINUTE;
export const HEALTH_PROBE_MS = 2 * SECOND;
export const MAX_HEALTH_PROBE_MS = 30 * SECOND;
export const OUTBOX_PENDING = 10_000;
export const OUTBOX_BATCH = 100;
export const OUTBOX_LEASE_MS = 30 * SECOND;

/** The central ingress (docs/protocol/limits.md). */
export const INGRESS_ENVELOPE_BYTES = 4 * MIB;
export const INGRESS_EVENTS = 100;
export const MAX_INGRESS_EVENTS = 1000;
export const MAX_EVENT_BYTES = 256 * KIB;
export const MAX_CHUNK_BYTES = 256 * KIB;
export const INGRESS_CONCURRENCY = 128;
export const MAX_EVENT_AGE_MS = DAY;
export const MAX_EVENT_SKEW_MS = 5 * MINUTE;
export const MAX_CALLBACK_AGE_MS = 5 * MINUTE;

/** The longest time that a timer can wait for. */
export const MAX_TIMER_MS = 2_147_483_647;

/** Remote dispatch (docs/protocol/limits.md#dispatch). */
export const PEER_TIMEOUT_MS = 5 * SECOND;
/** A part of the time of one attempt: a dead address must leave time to look up the present one. */
export const PEER_CONNECT_MS = 2 * SECOND;
export const PEER_RESPONSE_BYTES = 4 * MIB;
export const PEER_RETRIES = 2;
export const PEER_RETRY_DELAY_MS = 50;
export const PEER_POOLS = 256;
export const REMOTE_ACTIVE = 1024;
export const REMOTE_ACTIVE_PER_TENANT = 128;
export const REMOTE_QUEUED = 4096;
export const REMOTE_QUEUED_PER_TENANT = 512;
export const REMOTE_QUEUED_BYTES = 64 * MIB;
export const REMOTE_ACTION_BYTES = 4 * MIB;
export const REMOTE_QUEUE_MS = 30 * SECOND;

/** Registry connections (docs/protocol/limits.md). */
export const REGISTRY_CONNECTIONS = 32;
export const ACQUIRE_TIMEOUT_MS = 5 * SECOND;
export const MAX_ACQUIRE_TIMEOUT_MS = MINUTE;
/** How long a database may take to answer one statement; ours, the contract names none. */
export const STATEMENT_TIMEOUT_MS = 5 * SECOND;

/** Callback deliveries and reconciliations (docs/protocol/limits.md). */
export const CALLBACK_TIMEOUT_MS = 5 * SECOND;
export const CALLBACK_RESPONSE_BYTES = 4 * MIB;
export const CALLBACK_CONCURRENCY = 64;
export const CALLBACK_BATCH = 64;
export const RECONCILIATION_CONCURRENCY = 32;

/** Broker requests (docs/protocol/limits.md). */
export const BROKER_TIMEOUT_MS = 30 * SECOND;

/** The largest `total_size` of an action list: longer lists are not counted to their end (docs/protocol/limits.md#client-api). */
export const MAX_TOTAL_SIZE = 10_000;
