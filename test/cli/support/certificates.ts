import { createCa, issueLeaf } from '#controller/trust/certificates/ca.js';

/** Certificate and key of a server, PEM. */
export interface ServerTls {
  cert: string;
  key: string;
}

/** A certificate authority as a fleet has one, and leaves of it. */
export async function testAuthority(): Promise<{ ca: string; leaf(dnsName: string): Promise<ServerTls> }> {
  const now = Date.now();
  const authority = await createCa({ now });
  return {
    ca: authority.certPem,
    leaf: async (dnsName) => {
      const { certPem, keyPem } = await issueLeaf(authority, { dnsNames: [dnsName], now });
      return { cert: certPem, key: keyPem };
    },
  };
}
