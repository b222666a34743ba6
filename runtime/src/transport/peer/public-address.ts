import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address belongs to the public internet. Private, loopback, link-local, carrier-grade NAT, documentation, benchmark,
 * multicast, reserved, tunnel and translation ranges do not; an IPv4 address mapped into IPv6 is judged as IPv4 (docs/protocol/signing.md#destinations).
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
