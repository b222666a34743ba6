import { describe, expect, test } from 'vitest';
import { DestinationRefused, PeerTransportFailed } from '#runtime/transport/peer/client.js';
import { destinationPolicy } from '#runtime/transport/peer/destination.js';
import { isPublicAddress } from '#runtime/transport/peer/public-address.js';
import { actionEnvelope, clientFor, peerOf, startPeer } from './peer.ts';

const anywhere = { registryBound: true, allowHttp: true, allowPrivate: true };

describe('destination policy', () => {
  test('N-446 N-458 opens no connection over a scheme that is not allowed: http by default, others always', async () => {
    const peer = await startPeer();
    const strict = clientFor({ rules: { registryBound: true, allowPrivate: true } });
    await expect(strict.send(actionEnvelope(), peerOf(peer))).rejects.toBeInstanceOf(DestinationRefused);
    const open = clientFor();
    for (const scheme of ['ftp', 'ws', 'nats', 'file']) {
      const url = peer.url.replace('http:', `${scheme}:`);
      await expect(open.send(actionEnvelope(), peerOf(peer, { url }))).rejects.toBeInstanceOf(DestinationRefused);
    }
    expect(peer.connections()).toBe(0);
    await open.send(actionEnvelope(), peerOf(peer));
    expect(peer.connections()).toBe(1);
  });

  test('N-447 N-457 opens no connection to a host that is not listed; the default lists none', async () => {
    const peer = await startPeer();
    for (const rules of [{}, { hosts: ['other.test'] }, { hosts: ['0.0.1'] }]) {
      const client = clientFor({ rules: { ...rules, allowHttp: true, allowPrivate: true } });
      await expect(client.send(actionEnvelope(), peerOf(peer))).rejects.toBeInstanceOf(DestinationRefused);
    }
    expect(peer.connections()).toBe(0);
    const listed = clientFor({ rules: { hosts: ['127.0.0.1'], allowHttp: true, allowPrivate: true } });
    await listed.send(actionEnvelope(), peerOf(peer));
    expect(peer.connections()).toBe(1);
  });

  test('N-448 opens no connection for a name without an address or that does not resolve', async () => {
    const peer = await startPeer();
    const url = `http://peer.test:${peer.port}/aip/v1/messages`;
    const nowhere = clientFor({ rules: { ...anywhere, resolve: async () => [] } });
    await expect(nowhere.send(actionEnvelope(), peerOf(peer, { url }))).rejects.toBeInstanceOf(DestinationRefused);
    const failing = clientFor({ rules: { ...anywhere, resolve: () => Promise.reject(new Error('ENOTFOUND')) } });
    const failure = await failing.send(actionEnvelope(), peerOf(peer, { url })).catch((error) => error);
    expect(failure).toBeInstanceOf(PeerTransportFailed);
    expect(failure.reached).toBe(false);
    expect(peer.connections()).toBe(0);
  });

  test('N-449 N-459 opens no connection when any address is private and private networks are not allowed', async () => {
    const peer = await startPeer();
    const url = `http://peer.test:${peer.port}/aip/v1/messages`;
    const mixed = [
      { address: '127.0.0.1', family: 4 as const },
      { address: '93.184.216.34', family: 4 as const },
    ];
    const strict = clientFor({ rules: { registryBound: true, allowHttp: true, resolve: async () => mixed } });
    await expect(strict.send(actionEnvelope(), peerOf(peer, { url }))).rejects.toBeInstanceOf(DestinationRefused);
    await expect(strict.send(actionEnvelope(), peerOf(peer))).rejects.toBeInstanceOf(DestinationRefused);
    expect(peer.connections()).toBe(0);
    const allowed = clientFor({ rules: { ...anywhere, resolve: async () => mixed } });
    await allowed.send(actionEnvelope(), peerOf(peer, { url }));
    expect(peer.connections()).toBe(1);
  });

  test('refuses credentials, fragments and relative URLs; keeps host, port and path; strips the brackets of IPv6', async () => {
    const { admit } = destinationPolicy(anywhere);
    for (const url of [
      'https://u@host.test/',
      'https://:p@host.test/',
      'https://host.test/#',
      '/aip/v1/messages',
      '',
    ]) {
      await expect(admit(url)).rejects.toBeInstanceOf(DestinationRefused);
    }
    expect(await admit('http://[::1]:81/a?b')).toMatchObject({
      host: '::1',
      address: '::1',
      family: 6,
      port: 81,
      path: '/a?b',
    });
    expect(await admit('https://127.0.0.1/')).toMatchObject({ port: 443, tls: true });
  });

  const open = '8.8.8.8 2606:4700::1111 ::ffff:8.8.8.8'.split(' ');
  const closed = [
    '0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 169.254.1.1 172.16.0.1 192.0.0.5 192.0.2.1 192.168.0.1 198.18.0.1 198.51.100.1',
    '203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 fc00::1 fe80::1 fec0::1 ff02::1 ::ffff:10.0.0.1 64:ff9b::808:808',
    '2002::1 2001:db8::1 100::1 not-an-address',
  ]
    .join(' ')
    .split(' ');
  test.each([
    ...open.map((address) => ({ address, expected: true })),
    ...closed.map((address) => ({ address, expected: false })),
  ])('address $address is public: $expected', ({ address, expected }) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});
