import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonicalBytes } from '#runtime/protocol/canonical.js';
import { type Envelope, replyEnvelope, signEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime, leaseArray } from '#runtime/protocol/time.js';
import type { Capability, Manifest, Principal } from '#runtime/protocol/types.js';
import type { Dev } from './dev.ts';

/** What the host answers to one verified request: the body of a signed 200, or a status with raw text. */
export type HostAnswer = { body: Record<string, unknown>; status?: number } | { raw: string; status: number };

/** A connector host written for one test: real HTTP, a key of its own, leases through the real control plane. */
export interface ExternalHost {
  readonly key: SigningKey;
  readonly endpoint: string;
  /** Every envelope that arrived, in order, after its signature was verified; with the headers it came with. */
  readonly received: { envelope: Envelope; did: string; headers: IncomingMessage['headers']; text: string }[];
  answer: (envelope: Envelope) => HostAnswer | Promise<HostAnswer>;
  /** Who signs the answers; a test may put somebody else here. */
  signer: { principal: Principal; key: SigningKey };
  /** Resource documents (YAML text is JSON) that admit this host as the only replica of an External instance. */
  documents(): string;
  /** Registers with the control plane of a running fleet; returns the lease sequence. */
  register(dev: Dev): Promise<number>;
  close(): Promise<void>;
}

export const TRUST_DOMAIN = 'dev.local';

/** A capability of type `probe` with a complete contract; `over` replaces members of it. */
export function probeCapability(name: string, over: Partial<Capability> = {}): Capability {
  return {
    id: `cap:probe:${name}`,
    name,
    kind: 'tool',
    input_schema: { type: 'object' },
    risk: 'low',
    contract: {
      side_effects: ['read'],
      idempotency: { requirement: 'optional', collision_behavior: 'return_original_result', key_scope: 'tenant' },
      execution: {
        supports_sync: true,
        supports_async: true,
        supports_streaming: true,
        supports_cancel: true,
        supports_retry: false,
        expected_completion: 'any',
        retry_safety: 'unknown',
      },
      data: { sensitivity: 'internal', contains_pii: false, redaction_required: false },
    },
    ...over,
  } as Capability;
}

/** Starts the host's HTTP server on a free port; `answer` completes every action with its input until a test replaces it. */
export async function startExternalHost(capabilities: Capability[] = [probeCapability('echo')]): Promise<ExternalHost> {
  const key = signingKeyFromSeed(newSeedHex());
  const agent: Principal = { id: 'agent:probe', kind: 'agent' };
  const self: Principal = { ...agent, trust_domain: TRUST_DOMAIN };
  const manifest: Manifest = {
    manifest_version: 'aip-manifest/v1',
    agent,
    capabilities,
    profiles: ['aip.native.http.v1'],
  };
  const received: ExternalHost['received'] = [];

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const envelope = JSON.parse(text) as Envelope;
    received.push({ envelope, did: await verifyEnvelope(envelope), headers: request.headers, text });
    const answer = await host.answer(envelope);
    if ('raw' in answer) {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.raw);
      return;
    }
    const { principal, key: signingKey } = host.signer;
    const reply = await signEnvelope(
      replyEnvelope(envelope, answer.body as never, { clock: Date.now, from: principal }),
      principal,
      signingKey,
    );
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/aip/v1/messages`;

  const host: ExternalHost = {
    key,
    endpoint,
    received,
    signer: { principal: self, key },
    answer: (envelope) => {
      const action = (envelope.body as { action?: { id: string; input: unknown } }).action;
      if (!action) return { body: { action_result: { action_id: cancelTarget(envelope), status: 'cancelled' } } };
      return {
        body: { action_result: { action_id: action.id, status: 'completed', output: { echoed: action.input } } },
      };
    },
    documents: () => documentsOf({ manifest, endpoint, did: key.did }),
    register: (dev) => register(dev, { key, endpoint, agent }),
    close: () => new Promise((done) => server.close(() => done())),
  };
  return host;
}

/** The documents of a `probe` instance and its only replica. */
function documentsOf({ manifest, endpoint, did }: { manifest: Manifest; endpoint: string; did: string }): string {
  return [
    {
      apiVersion: 'fleet.aip.dev/v1alpha1',
      kind: 'ConnectorInstance',
      metadata: { name: 'probe', namespace: 'default' },
      spec: {
        hosting: 'External',
        connector: { type: 'probe', version: '1.0.0', manifest, artifactDigest: `sha256:${'ab'.repeat(32)}` },
        tenantId: 'demo',
      },
    },
    {
      apiVersion: 'fleet.aip.dev/v1alpha1',
      kind: 'ConnectorReplica',
      metadata: { name: 'probe-1', namespace: 'default' },
      spec: { instanceRef: { name: 'probe' }, endpoint, peerDid: did, capacity: 64 },
    },
  ]
    .map((document) => JSON.stringify(document))
    .join('\n---\n');
}

/** Registers the host of the `probe` instance; returns its lease sequence. */
async function register(
  dev: Dev,
  { key, endpoint, agent }: { key: SigningKey; endpoint: string; agent: Principal },
): Promise<number> {
  const instance = dev.ready.instances.find((each) => each.name === 'probe') as Dev['ready']['instances'][number] & {
    artifact_digest: string;
    config_revision: number;
    secret_provider_ref: string;
    capability_count: number;
  };
  const now = Date.now();
  const request = {
    request_id: newId('message'),
    issued_at: formatTime(now),
    expires_at: formatTime(now + 30_000),
    signer_did: key.did,
    command: {
      operation: 'register',
      payload: {
        replica: {
          id: instance.replicas[0]?.replica_id,
          instance_id: instance.instance_id,
          version_id: instance.version_id,
          endpoint,
          peer_principal_id: agent.id,
          peer_principal_kind: agent.kind,
          peer_did: key.did,
          trust_domain: TRUST_DOMAIN,
          transport_profile: 'aip.native.http.v1',
          topology: { region: 'global', zone: 'default', capacity_class: 'standard' },
          status: 'ready',
          lease_expires_at: leaseArray(now + 30_000),
          capacity: 64,
          active_assignments: 0,
          health_revision: 0,
        },
        manifest_digest: instance.manifest_digest,
        artifact_digest: instance.artifact_digest,
        tenant_id: instance.tenant_id,
        config_revision: instance.config_revision,
        secret_provider_ref: instance.secret_provider_ref,
        capability_count: instance.capability_count,
      },
    },
  };
  const response = await fetch(dev.ready.control_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ request, signature: await key.sign(canonicalBytes(request)) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`register was answered ${response.status}: ${text}`);
  return (JSON.parse(text) as { response: { lease: { sequence: number } } }).response.lease.sequence;
}

function cancelTarget(envelope: Envelope): string {
  return (envelope.body as { cancel?: { target: { action: string } } }).cancel?.target.action ?? '';
}
