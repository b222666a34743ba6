import { createHash } from 'node:crypto';
import type { NeededPackage } from './lock-file.ts';

/** The bill of materials of an image's packages as SPDX 2.3 JSON. `created` is RFC 3339 without fractions. */
export function spdxOf(image: string, packages: readonly NeededPackage[], created: string): string {
  const listed = packages.map((needed) => ({
    SPDXID: idOf(needed),
    name: needed.name,
    versionInfo: needed.version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: needed.license ?? 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    ...(needed.integrity && { checksums: [checksumOf(needed.integrity)] }),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purlOf(needed) }],
  }));
  const content = createHash('sha256').update(JSON.stringify(listed)).digest('hex');
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: image,
    documentNamespace: `https://aip.dev/spdx/${image}-${content}`,
    creationInfo: { created, creators: ['Tool: scripts/image-context.ts'] },
    packages: listed,
    relationships: packages.map((needed) => ({
      spdxElementId: 'SPDXRef-DOCUMENT',
      relationshipType: 'DESCRIBES',
      relatedSpdxElement: idOf(needed),
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function idOf({ to, version }: NeededPackage): string {
  return `SPDXRef-${to.replaceAll('node_modules/', '').replace(/[^A-Za-z0-9.-]/g, '-')}-${version}`;
}

/** npm's `sha512-<base64>` in hex. */
function checksumOf(integrity: string): { algorithm: string; checksumValue: string } {
  const [algorithm = '', value = ''] = integrity.split('-', 2);
  return { algorithm: algorithm.toUpperCase(), checksumValue: Buffer.from(value, 'base64').toString('hex') };
}

function purlOf({ name, version }: NeededPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
