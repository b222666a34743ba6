import { signingKeyFromSeed } from '@aip/runtime/internal/signing';
import { lines, readDids } from './bundle.js';
import type { Subject } from './decide/step.js';
import { DATA } from './names.js';
import { type SecretObject, secretText } from './objects.js';

type Texts = Record<string, string | undefined>;

/** The texts to change when what waits in a Secret becomes active. What was active stays as a DID or a certificate: nobody can sign with it again. */
export function promoted(subject: Subject, secret: SecretObject): Texts {
  return subject === 'ca' ? promotedAuthority(secret) : promotedKey(secret);
}

function promotedKey(secret: SecretObject): Texts {
  const seed = secretText(secret, DATA.seed);
  const active = seed === undefined ? [] : [signingKeyFromSeed(seed).did];
  const previous = [...new Set([...active, ...readDids(secretText(secret, DATA.previousDids) ?? '')])];
  return {
    [DATA.seed]: secretText(secret, DATA.nextSeed),
    [DATA.nextSeed]: undefined,
    [DATA.previousDids]: lines(previous) || undefined,
  };
}

function promotedAuthority(secret: SecretObject): Texts {
  const previous = [DATA.caCert, DATA.previousCaCerts].flatMap((key) => secretText(secret, key) ?? []);
  return {
    [DATA.caCert]: secretText(secret, DATA.nextCaCert),
    [DATA.caKey]: secretText(secret, DATA.nextCaKey),
    [DATA.nextCaCert]: undefined,
    [DATA.nextCaKey]: undefined,
    [DATA.previousCaCerts]: lines(previous) || undefined,
  };
}
