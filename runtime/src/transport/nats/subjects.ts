/** Profile of envelopes over NATS: aip.native.<broker>.v1. */
export const NATS_PROFILE = 'aip.native.nats.v1';

/** The service that listens: trust domain, name and version, each one component of its subjects. */
export interface BrokerService {
  readonly trustDomain: string;
  readonly service: string;
  readonly version: string;
}

/** A text as one component of a subject: dots, spaces, slashes and backslashes become underscores. */
export function subjectComponent(text: string): string {
  return text.replace(/[. /\\]/g, '_');
}

/** What may be a component: a wildcard or control character would change which messages are meant. */
export const SUBJECT_COMPONENT = /^[^*>\p{Cc}]+$/u;

/** Where requests of one message type go: aip.v1.{trust_domain}.{service}.{version}.{message_type}. */
export function requestSubject(service: BrokerService, messageType: string): string {
  return `${base(service)}.${subjectComponent(messageType)}`;
}

/** What a service listens on: every message type. */
export function listenerSubject(service: BrokerService): string {
  return requestSubject(service, '>');
}

/** Where the stream of one correlation goes: aip.v1.{trust_domain}.{service}.{version}.stream.{correlation_id}. */
export function streamSubject(service: BrokerService, correlationId: string): string {
  return `${base(service)}.stream.${subjectComponent(correlationId)}`;
}

/** Whether a subject that the listener's wildcard matches is a stream and not a request. */
export function isStreamSubject(service: BrokerService, subject: string): boolean {
  return subject.startsWith(streamSubject(service, ''));
}

function base({ trustDomain, service, version }: BrokerService): string {
  return `aip.v1.${[trustDomain, service, version].map(subjectComponent).join('.')}`;
}
