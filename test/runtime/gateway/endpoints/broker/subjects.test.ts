import { expect, test } from 'vitest';
import {
  isStreamSubject,
  listenerSubject,
  NATS_PROFILE,
  requestSubject,
  SUBJECT_COMPONENT,
  streamSubject,
  subjectComponent,
} from '#runtime/transport/nats/subjects.js';

const SERVICE = { trustDomain: 'fleet.example', service: 'central gateway', version: 'v1' };

test('N-474 the profile names the broker', () => {
  expect(NATS_PROFILE).toBe('aip.native.nats.v1');
});

test('N-475 requests go to aip.v1.{trust_domain}.{service}.{version}.{message_type}', () => {
  expect(requestSubject(SERVICE, 'aip.core.v1.action')).toBe(
    'aip.v1.fleet_example.central_gateway.v1.aip_core_v1_action',
  );
});

test('N-476 the listener takes every message type by a wildcard that ends in >', () => {
  expect(listenerSubject(SERVICE)).toBe('aip.v1.fleet_example.central_gateway.v1.>');
});

test('N-477 streams go to aip.v1.{trust_domain}.{service}.{version}.stream.{correlation_id}', () => {
  const subject = streamSubject(SERVICE, 'corr_1.2');
  expect(subject).toBe('aip.v1.fleet_example.central_gateway.v1.stream.corr_1_2');
  expect(isStreamSubject(SERVICE, subject)).toBe(true);
  expect(isStreamSubject(SERVICE, requestSubject(SERVICE, 'aip.core.v1.action'))).toBe(false);
});

test.each([
  ['N-478 a dot', 'a.b', 'a_b'],
  ['N-479 a space', 'a b', 'a_b'],
  ['N-480 a slash', 'a/b', 'a_b'],
  ['N-481 a backslash', 'a\\b', 'a_b'],
])('%s in a component becomes an underscore', (_title, text, component) => {
  expect(subjectComponent(text)).toBe(component);
  const everywhere = requestSubject({ trustDomain: text, service: text, version: text }, text);
  expect(everywhere).toBe(`aip.v1.${component}.${component}.${component}.${component}`);
});

test('wildcards and control characters are not valid components', () => {
  for (const text of ['', 'a*', 'a>b', 'a\nb']) expect(text).not.toMatch(SUBJECT_COMPONENT);
  expect('fleet.example').toMatch(SUBJECT_COMPONENT);
});
