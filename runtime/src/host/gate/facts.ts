import type { Action, Cancel, Capability, Envelope, Principal } from '../../protocol/types.js';
import type { GatewayPrincipal, HostConfig } from '../config/config.js';
import type { CredentialPolicySource } from '../credentials/policy.js';
import type { BoundManifest } from '../manifest/bind-manifest.js';

/** What a host was admitted as; never changes while it runs. */
export interface HostIdentity {
  /** The host's principal with its DID. */
  principal: Principal;
  gateway: GatewayPrincipal;
  tenantId: string;
  instanceId: string;
  replicaId: string;
  versionId: string;
  manifestDigest: string;
  capabilities: ReadonlyMap<string, Capability>;
  /** The only destination a streaming action may name; absent: this host does not stream. */
  callbackUrl?: string;
  heartbeatMs: number;
}

/** The identity of a configured host with its bound manifest. */
export function hostIdentity(config: HostConfig, principal: Principal, bound: BoundManifest): HostIdentity {
  return {
    principal,
    gateway: config.gateway,
    tenantId: config.tenant.id,
    instanceId: config.instanceId,
    replicaId: config.replicaId,
    versionId: config.versionId,
    manifestDigest: bound.digest,
    capabilities: bound.capabilities,
    heartbeatMs: config.heartbeatMs,
    ...(config.callback && { callbackUrl: config.callback.url }),
  };
}

/** What changes from one request to the next; cached flags, read without waiting. */
export interface HostSituation {
  draining: boolean;
  leaseValid: boolean;
  storageReady: boolean;
  connectorReady: boolean;
  freeSlots: number;
  /** The DIDs under which the gateway may sign now. */
  gatewayDids: readonly string[];
}

/** Everything that the checks of one request need. */
export interface Facts {
  host: HostIdentity;
  situation: HostSituation;
  /** Milliseconds since the epoch. */
  now: number;
  envelope: Envelope;
  /** DID of the gateway whose key signed the envelope; undefined when the signature is missing, wrong, or of anybody else. */
  signer: string | undefined;
  /** `security.connector_route` as received. */
  route: Record<string, unknown> | undefined;
  action: Action | undefined;
  cancel: Cancel | undefined;
  /** Whether this process is executing the action now, so that the delivery is a repeat of pinned work. */
  running: boolean;
  /** Whether the journal answers the action without a call. Throws HostNotReady. */
  recorded: (action: Action) => Promise<boolean>;
  credentialPolicy: CredentialPolicySource;
  /** Capability under which the host itself knows the action; undefined when it does not know it. */
  recordedCapability: (actionId: string) => Promise<string | undefined>;
  /** Keeps the approval record; throws when another one is kept under its id, or the journal cannot be used. */
  importApproval: (approvalId: string, record: unknown) => Promise<void>;
}
