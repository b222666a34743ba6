import { createHash, createPublicKey, verify } from 'node:crypto';
import * as noble from '@noble/ed25519';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { didOfPublicKey, isDid, publicKeyOfDid } from '#runtime/protocol/identity/did.js';
import { newSeedHex, signingKeyFromSeed, signWithLibsodium, verifySignature } from '#runtime/protocol/signing.js';
import { withCode } from '../../support/with-code.js';
import { signed, speccheck } from './support.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** RFC 8032 section 7.1: TEST 1, 2, 3 and SHA(abc). */
const RFC8032 = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
  {
    seed: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    key: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    message:
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    signature:
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  },
];

/** Order of the group. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

/** A key pair of a known scalar, and signatures whose R is chosen freely: S fits R, but for what R has beyond its multiple of the base point. */
function freeSigner() {
  const secret = numberOf(createHash('sha256').update('free').digest()) % L;
  const raw = noble.Point.BASE.multiply(secret).toBytes();
  const sign = (message: Uint8Array, R: Uint8Array, nonce: bigint) => {
    const challenge = numberOf(createHash('sha512').update(R).update(raw).update(message).digest()) % L;
    return Buffer.concat([R, bytesOf((nonce + challenge * secret) % L)]);
  };
  return { did: didOfPublicKey(raw), sign };
}

// A process that has changed to libsodium stays with it, so node:crypto comes first.
describe.each(['node:crypto', 'libsodium'])('Ed25519 signatures by %s', (library) => {
  beforeAll(() => {
    if (library === 'libsodium') expect(signWithLibsodium()).toBe(true);
  });

  it.each(RFC8032)('of RFC 8032 are made and accepted by both implementations: message "$message"', async (vector) => {
    const key = signingKeyFromSeed(vector.seed);
    const message = hex(vector.message);
    expect(key.did).toBe(didOfPublicKey(hex(vector.key)));
    expect(await key.sign(message)).toBe(base64(hex(vector.signature)));
    expect(base64(await noble.signAsync(message, hex(vector.seed)))).toBe(base64(hex(vector.signature)));
    expect(await verifySignature(key.did, message, base64(hex(vector.signature)))).toBe(true);
    expect(await noble.verifyAsync(hex(vector.signature), message, hex(vector.key), { zip215: false })).toBe(true);
  });

  it('of random messages are the same from both implementations, and both refuse any flipped bit', async () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    await fc.assert(
      fc.asyncProperty(
        bytes(32),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.nat(),
        async (seed, message, at) => {
          const key = signingKeyFromSeed(Buffer.from(seed).toString('hex'));
          const raw = publicKeyOfDid(key.did);
          const signature = new Uint8Array(Buffer.from(await key.sign(message), 'base64'));
          expect(signature).toEqual(await noble.signAsync(message, seed));
          expect(raw).toEqual(await noble.getPublicKeyAsync(seed));
          const flip = (source: Uint8Array) => {
            const flipped = Uint8Array.from(source);
            const bit = at % (source.length * 8);
            flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
            return flipped;
          };
          for (const [s, m] of [[flip(signature), message] as const, [signature, flip(message)] as const]) {
            expect(await verifySignature(key.did, m, base64(s))).toBe(false);
            expect(await noble.verifyAsync(s, m, raw, { zip215: false })).toBe(false);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each(speccheck.map((vector, number) => ({ number, ...vector })))(
    'speccheck case $number: refused, and the same from both implementations once unusable keys are refused',
    async ({ message, publicKey, signature }) => {
      const did = didOfPublicKey(hex(publicKey));
      const usable = isDid(did);
      const ours = usable && (await verifySignature(did, hex(message), base64(hex(signature))));
      const theirs =
        usable && (await noble.verifyAsync(hex(signature), hex(message), hex(publicKey), { zip215: false }));
      expect(ours).toBe(false);
      expect(theirs).toBe(ours);
      if (!usable)
        expect(() => verifySignature(did, hex(message), base64(hex(signature)))).toThrow(
          withCode('auth.signature.invalid'),
        );
    },
  );

  it('speccheck shows why keys with a torsion component are refused: the implementations disagree about cases 2, 4 and 5', async () => {
    const disagreements: number[] = [];
    for (const [number, { message, publicKey, signature }] of speccheck.entries()) {
      const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), hex(publicKey)]);
      const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
      const node = verify(null, hex(message), key, hex(signature));
      const other = await noble.verifyAsync(hex(signature), hex(message), hex(publicKey), { zip215: false });
      if (node !== other) disagreements.push(number);
    }
    expect(disagreements).toEqual([2, 4, 5]);
  });

  it('with S plus the group order are refused (speccheck cases 6 and 7 with an honest key)', async () => {
    const key = signingKeyFromSeed('01'.repeat(32));
    const message = hex('00');
    const signature = Buffer.from(await key.sign(message), 'base64');
    const raised = Buffer.concat([signature.subarray(0, 32), bytesOf(numberOf(signature.subarray(32)) + L)]);
    expect(await verifySignature(key.did, message, base64(raised))).toBe(false);
  });

  it('with an R that has a torsion component, is of small order or is not canonical are refused', async () => {
    const { did, sign } = freeSigner();
    const message = hex('00');
    const nonce = 5n;
    const point = noble.Point.BASE.multiply(nonce);
    const accepts = (R: Uint8Array, of: bigint) => verifySignature(did, message, base64(sign(message, R, of)));
    expect(await accepts(point.toBytes(), nonce)).toBe(true);
    const eighth = noble.Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', true);
    for (let torsion = eighth; !torsion.is0(); torsion = torsion.add(eighth)) {
      expect(await accepts(point.add(torsion).toBytes(), nonce)).toBe(false);
      expect(await accepts(torsion.toBytes(), 0n)).toBe(false);
    }
    expect(await accepts(noble.Point.ZERO.toBytes(), 0n)).toBe(false);
    expect(await accepts(hex(`ee${'ff'.repeat(30)}7f`), 0n)).toBe(false);
  });

  it.each([
    ['no padding', (text: string) => text.slice(0, -2)],
    ['URL alphabet', (text: string) => `-_${text.slice(2)}`],
    ['white space', (text: string) => `${text.slice(0, 44)}\n${text.slice(44)}`],
    ['stray trailing bits', (text: string) => `${text.slice(0, 85)}${text[85] === 'B' ? 'C' : 'B'}==`],
    ['65 bytes', (text: string) => base64(Buffer.concat([Buffer.from(text, 'base64'), Buffer.of(0)]))],
    ['nothing', () => ''],
  ])('in base64 with %s are refused', async (_, spoil) => {
    const key = signingKeyFromSeed('02'.repeat(32));
    const text = await key.sign(hex('00'));
    expect(await verifySignature(key.did, hex('00'), text)).toBe(true);
    expect(await verifySignature(key.did, hex('00'), spoil(text))).toBe(false);
  });

  it('come from seeds of 64 hex digits only, and a bad seed is not repeated in the message', () => {
    expect(newSeedHex()).toMatch(/^[0-9a-f]{64}$/);
    expect(newSeedHex()).not.toBe(newSeedHex());
    for (const seed of ['', 'ab', 'zz'.repeat(32), `${'ab'.repeat(32)}\n`]) {
      expect(() => signingKeyFromSeed(seed)).toThrow(/64 hex digits$/);
    }
  });
});

describe('did:key', () => {
  it('of the vectors are derived from their seeds and decode to the same key', () => {
    for (const [did, seed] of Object.entries(signed.seeds)) {
      expect(signingKeyFromSeed(seed).did).toBe(did);
      expect(didOfPublicKey(publicKeyOfDid(did))).toBe(did);
    }
    const v1 = 'did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd';
    expect(Buffer.from(publicKeyOfDid(v1)).toString('hex')).toBe(
      '03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8',
    );
  });

  const good = 'did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd';
  const encode = (bytes: number[]) => `did:key:z${base58.encode(Uint8Array.from(bytes))}`;
  const smallOrder = ['01', 'ec', '00'].map((first, i) =>
    Buffer.from(i === 1 ? `ec${'ff'.repeat(30)}7f` : `${first}${'00'.repeat(31)}`, 'hex'),
  );
  it.each([
    ['another method', 'did:web:example.com'],
    ['a fragment', `${good}#key-1`],
    ['a query', `${good}?a=b`],
    ['another multibase', good.replace('did:key:z', 'did:key:u')],
    ['a character outside the alphabet', good.replace('6Mk', '6M0')],
    ['upper case', good.toUpperCase()],
    ['another key type', encode([0xe7, 0x01, ...publicKeyOfDid(good)])],
    ['33 key bytes', encode([0xed, 0x01, ...publicKeyOfDid(good), 0])],
    ['31 key bytes', encode([0xed, 0x01, ...publicKeyOfDid(good).subarray(1)])],
    ['nothing', 'did:key:z'],
    ['a very long text', `did:key:z${'6'.repeat(1_000_000)}`],
    ['no curve point', encode([0xed, 0x01, 2, ...new Array(31).fill(0)])],
    ['a non-canonical point', encode([0xed, 0x01, 0xee, ...new Array(30).fill(0xff), 0x7f])],
    ...smallOrder.map((raw, i) => [`point of small order ${i}`, encode([0xed, 0x01, ...raw])]),
  ])('with %s is refused', (_, did) => {
    expect(() => publicKeyOfDid(did as string)).toThrow(withCode('auth.signature.invalid'));
    expect(isDid(did as string)).toBe(false);
  });
});
