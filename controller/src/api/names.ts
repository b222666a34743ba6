import { digestOf } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from './connector-instance.js';

/** What a resource is called in the registry: its coordinates and the first 8 characters of its uid. */
interface Named {
  metadata: { namespace: string; name: string };
}

const uid8 = (uid: string): string => uid.replaceAll('-', '').slice(0, 8);

/** Registry id of a connector type: `ctype_<type>`. */
export function connectorTypeId(type: string): string {
  return `ctype_${type}`;
}

/** Registry id of a version: `cver_` and 32 hex digits of the digest of what it is made of (docs/kubernetes/reference.md). */
export function connectorVersionId(version: {
  type: string;
  version: string;
  manifestDigest: string;
  artifactDigest: string;
}): string {
  const digest = digestOf({
    type: version.type,
    version: version.version,
    manifest_digest: version.manifestDigest,
    artifact_digest: version.artifactDigest,
  });
  return `cver_${digest.slice('sha256:'.length, 'sha256:'.length + 32)}`;
}

/** Registry id of an instance: `cinst_<namespace>.<name>.<8 of uid>`. */
export function connectorInstanceId(resource: Named, uid: string): string {
  return `cinst_${resource.metadata.namespace}.${resource.metadata.name}.${uid8(uid)}`;
}

/** `namespace/name` of the instance that a registry id stands for; undefined when it is no such id. */
export function connectorInstanceKey(instanceId: string): string | undefined {
  const [, namespace, name] = /^cinst_([^.]+)\.([^.]+)\.[^.]+$/.exec(instanceId) ?? [];
  return namespace && `${namespace}/${name}`;
}

/** Registry id of a replica: `crepl_<namespace>.<name>.<8 of uid>`. */
export function connectorReplicaId(resource: Named, uid: string): string {
  return `crepl_${resource.metadata.namespace}.${resource.metadata.name}.${uid8(uid)}`;
}

/**
 * Six hex digits that name what every replica of the instance is made from. A change of any of it replaces the replicas; the number of
 * replicas and the like do not, and content that comes back has its former name. `image` is what runs when the instance names none.
 */
export function templateHash(instance: ConnectorInstance, image = instance.spec.connector.image): string {
  const { spec } = instance;
  return digestOf({
    connector: { type: spec.connector.type, version: spec.connector.version, image },
    tenant: spec.tenantId,
    capacity: spec.capacity,
    topology: spec.topology,
    config: spec.config,
    secrets: spec.secrets,
    events: spec.events,
    pod: spec.pod,
    module: instance.metadata.annotations?.['fleet.aip.dev/module'],
    module_digest: instance.metadata.annotations?.['fleet.aip.dev/module-digest'],
    configuration: configurationDigest(instance),
  }).slice('sha256:'.length, 'sha256:'.length + 6);
}

/** Deterministic name of a managed replica: `<instance>-<template hash>-<ordinal>`. A stale view can never make two. */
export function replicaName(instance: string, template: string, ordinal: number): string {
  return `${instance}-${template}-${ordinal}`;
}

/** Template and ordinal in the name of a managed replica of the instance; undefined when the name has another form. */
export function partsOfReplicaName(instance: string, name: string): { template: string; ordinal: number } | undefined {
  if (!name.startsWith(`${instance}-`)) return undefined;
  const [, template, ordinal] = /^([0-9a-f]{6})-([0-9]{1,9})$/.exec(name.slice(instance.length + 1)) ?? [];
  return template === undefined ? undefined : { template, ordinal: Number(ordinal) };
}

/** Digest over what a change of raises the configuration revision: configuration, secrets' references, bindings (docs/kubernetes/reference.md). */
export function configurationDigest(instance: ConnectorInstance): string {
  const { config, secrets, bindings } = instance.spec;
  return digestOf({ config, secrets, bindings });
}

/** Opaque reference to where an instance's secrets come from (docs/protocol/registry.md#instances). It never changes: what changes counts as configuration. */
export function secretProviderRef(instance: ConnectorInstance): string {
  return `secrets://${instance.metadata.namespace}/${instance.metadata.name}`;
}
