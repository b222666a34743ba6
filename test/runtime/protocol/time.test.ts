import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTime, leaseArray, parseLeaseArray, parseTime } from '#runtime/protocol/time.js';

describe('RFC 3339 times', () => {
  it.each([
    ['2026-07-09T00:00:00.000Z', '2026-07-09T00:00:00Z'],
    ['2026-07-09T00:00:00.250Z', '2026-07-09T00:00:00.25Z'],
    ['2026-07-09T00:00:00.100Z', '2026-07-09T00:00:00.1Z'],
    ['2026-07-09T00:00:00.001Z', '2026-07-09T00:00:00.001Z'],
    ['2026-07-09T00:00:10.010Z', '2026-07-09T00:00:10.01Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00.000Z', '0000-01-01T00:00:00Z'],
  ])('F-063 %s is written %s', (iso, text) => {
    expect(formatTime(Date.parse(iso))).toBe(text);
    expect(parseTime(text)).toBe(Date.parse(iso));
  });

  it.each([
    ['2026-07-09T02:30:00+02:30', '2026-07-09T00:00:00Z'],
    ['2026-07-08T23:59:59.5-00:00', '2026-07-08T23:59:59.5Z'],
    ['2026-07-08T20:00:00-04:00', '2026-07-09T00:00:00Z'],
    ['2026-07-09t00:00:00z', '2026-07-09T00:00:00Z'],
    ['2026-07-09T00:00:00.123456789Z', '2026-07-09T00:00:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T01:59:60+02:00', '2016-12-31T23:59:59.999Z'],
  ])('reads %s as %s', (text, same) => {
    expect(formatTime(parseTime(text))).toBe(same);
  });

  it.each([
    '',
    'yesterday',
    '2026-07-09',
    '2026-07-09T00:00:00',
    '2026-07-09 00:00:00Z',
    '2026-07-09T00:00Z',
    '2026-7-9T00:00:00Z',
    '2026-07-09T24:00:00Z',
    '2026-07-09T00:60:00Z',
    '2026-07-09T00:00:61Z',
    '2026-07-09T00:00:60Z',
    '2026-07-09T00:00:00.Z',
    '2026-07-09T00:00:00+24:00',
    '2026-07-09T00:00:00+02:60',
    '2026-07-09T00:00:00+0200',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-07-09T00:00:00Z ',
    '+2026-07-09T00:00:00Z',
  ])('refuses "%s"', (text) => {
    expect(() => parseTime(text)).toThrow(RangeError);
  });

  it('reads back every millisecond it writes, and refuses to write a year of five digits', () => {
    const ms = fc.integer({ min: Date.UTC(1, 0), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
    fc.assert(
      fc.property(ms, (at) => {
        expect(parseTime(formatTime(at))).toBe(at);
        expect(formatTime(at)).not.toMatch(/0Z$(?<!:\d0Z)/);
      }),
    );
    expect(() => formatTime(Date.UTC(10_000, 0))).toThrow(RangeError);
  });
});

describe('nine-item lease times', () => {
  it('F-083 writes year, ordinal day, hour, minute, second, nanosecond and three zero offsets', () => {
    expect(leaseArray(parseTime('2026-07-09T00:00:30.31Z'))).toEqual([2026, 190, 0, 0, 30, 310000000, 0, 0, 0]);
    expect(leaseArray(parseTime('2026-01-01T13:14:15.001Z'))).toEqual([2026, 1, 13, 14, 15, 1000000, 0, 0, 0]);
  });

  it('F-084 counts days from 1: 365 on 31 December, 366 in a leap year', () => {
    expect(leaseArray(parseTime('2026-12-31T23:59:59Z'))[1]).toBe(365);
    expect(leaseArray(parseTime('2028-12-31T23:59:59Z'))[1]).toBe(366);
    expect(leaseArray(parseTime('2028-02-29T00:00:00Z'))[1]).toBe(60);
    expect(leaseArray(parseTime('2000-12-31T00:00:00Z'))[1]).toBe(366);
    expect(leaseArray(parseTime('2100-12-31T00:00:00Z'))[1]).toBe(365);
  });

  it('F-085 reads an instant with all three offset components applied', () => {
    const at = parseTime('2026-07-09T00:00:30.31Z');
    expect(parseLeaseArray([2026, 190, 0, 0, 30, 310000000, 0, 0, 0])).toBe(at);
    expect(parseLeaseArray([2026, 190, 5, 30, 45, 310000000, 5, 30, 15])).toBe(at);
    expect(parseLeaseArray([2026, 189, 20, 0, 30, 310000000, -4, 0, 0])).toBe(at);
    expect(parseLeaseArray([2026, 189, 23, 59, 0, 310999999, 0, -1, -30])).toBe(at);
  });

  it.each([
    ['a string', '2026-07-09T00:00:30Z'],
    ['eight items', [2026, 190, 0, 0, 30, 0, 0, 0]],
    ['a fraction', [2026, 190, 0, 0, 30.5, 0, 0, 0, 0]],
    ['day 0', [2026, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['day 366 of a common year', [2026, 366, 0, 0, 0, 0, 0, 0, 0]],
    ['hour 24', [2026, 190, 24, 0, 0, 0, 0, 0, 0]],
    ['a nanosecond too many', [2026, 190, 0, 0, 0, 1_000_000_000, 0, 0, 0]],
    ['offset parts of different sign', [2026, 190, 0, 0, 0, 0, 1, -30, 0]],
    ['an offset minute too many', [2026, 190, 0, 0, 0, 0, 0, 60, 0]],
  ])('F-085 refuses %s', (_, items) => {
    expect(() => parseLeaseArray(items as number[])).toThrow(RangeError);
  });

  it('F-083 F-084 F-085 reads back every millisecond it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (at) => {
        expect(parseLeaseArray(leaseArray(at))).toBe(at);
      }),
    );
  });
});
