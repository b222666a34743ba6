import { expect, test } from 'vitest';
import { arrivalMs } from '#runtime/host/arrival.js';

test.each([
  ['http://127.0.0.1:4000/aip/v1/messages', 0, 1000],
  ['http://[::1]:4000/aip/v1/messages', 0, 1000],
  ['http://localhost:4000/aip/v1/messages', 0, 1000],
  ['https://demo-0.demo.acme.svc:8443/aip/v1/messages', 0, 10_000],
  ['https://demo-0.demo.acme.svc:8443/aip/v1/messages', 4000, 6000],
  ['https://demo-0.demo.acme.svc:8443/aip/v1/messages', 9700, 1000],
  ['https://demo-0.demo.acme.svc:8443/aip/v1/messages', 3_600_000, 1000],
])(
  'F-108 part: a host at %s that listens since %i ms takes pinned work for %i ms after its drain',
  (url, since, takes) => {
    expect(arrivalMs(url, since)).toBe(takes);
  },
);
