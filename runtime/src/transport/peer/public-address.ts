import ipaddr from 'ipaddr.js';

/** Written like this, the library takes it for a mapped address; the operating system does not. */
const WITHOUT_PREFIX = /^::\d+(?:\.\d+){3}$/;

/**
 * Whether an IP address belongs to the public internet. Private, loopback, link-local, carrier-grade NAT, documentation, benchmark,
 * multicast, reserved, tunnel and translation ranges do not, nor do IPv4 addresses written as IPv6 without a prefix (::/96); an IPv4 address
 * mapped into IPv6 is judged as IPv4 (docs/protocol/signing.md#destinations).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || WITHOUT_PREFIX.test(address)) return false;
  const ip = ipaddr.process(address);
  if (ip instanceof ipaddr.IPv6 && ip.parts.slice(0, 6).every((part) => part === 0)) return false;
  return ip.range() === 'unicast';
}
