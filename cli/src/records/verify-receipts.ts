import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { fileProblem } from '@aip/runtime/internal/gateway';
import { verifyEnvelope } from '@aip/runtime/internal/messages';
import type { Envelope, ReceiptChain } from '@aip/runtime/internal/protocol';
import { parseJson } from '@aip/runtime/internal/signing';
import { chainProblem } from '../client/chain-problem.js';
import { UsageError } from '../client/errors.js';

/** What a file holds, and whether it is right. */
export interface Verified {
  chains: { chain: ReceiptChain; problem?: string }[];
  /** Only for a signed envelope. */
  signature?: { did: string; problem?: string };
}

/** Verifies every receipt chain of a file, and the signature of an envelope around them. Throws UsageError when the file holds no receipts. */
export async function verifyFile(file: string, trusted: readonly string[]): Promise<Verified> {
  const text =
    file === '-'
      ? await readAll(process.stdin)
      : await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw new UsageError(
            `${file} can't be read: ${fileProblem(error)}.`,
            /^[a-z]+_[0-9a-f]+$/.test(file)
              ? `It looks like an id: \`aip receipts get ${file}\` reads its receipts and verifies them.`
              : 'Check the path and its mode.',
          );
        });
  const documents = parsed(text, file);
  const chains = documents.flatMap((document) => chainsIn(document));
  if (chains.length === 0)
    throw new UsageError(`${file} holds no receipts.`, 'Write some with `aip receipts get ID --output-file FILE`.');
  const verified = chains.map((chain) => {
    const problem = chainProblem(chain);
    return { chain, ...(problem === undefined ? {} : { problem }) };
  });
  const [first] = documents;
  const did = signerOf(first);
  if (did === undefined || documents.length > 1) return { chains: verified };
  return { chains: verified, signature: await checkSignature(first as Envelope, did, trusted) };
}

function parsed(text: string, file: string): unknown[] {
  try {
    return [parseJson(text)];
  } catch {
    try {
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as unknown);
    } catch (error) {
      const source = file === '-' ? 'Standard input' : file;
      throw new UsageError(`${source} is not JSON: ${(error as Error).message}.`);
    }
  }
}

/** Every chain anywhere in a document. */
function chainsIn(value: unknown): ReceiptChain[] {
  if (typeof value !== 'object' || value === null) return [];
  const { chain_id, receipts } = value as Partial<ReceiptChain>;
  if (typeof chain_id === 'string' && Array.isArray(receipts)) {
    const { verified: _, ...chain } = value as ReceiptChain & { verified?: unknown };
    return [chain];
  }
  return Object.values(value).flatMap(chainsIn);
}

function signerOf(document: unknown): string | undefined {
  const { security, from } = (document ?? {}) as {
    security?: { signature?: unknown; did?: unknown };
    from?: { did?: unknown };
  };
  if (typeof security?.signature !== 'string') return undefined;
  const did = security.did ?? from?.did;
  return typeof did === 'string' ? did : '';
}

async function checkSignature(
  envelope: Envelope,
  did: string,
  trusted: readonly string[],
): Promise<NonNullable<Verified['signature']>> {
  if (!trusted.includes(did))
    return {
      did,
      problem: `it is signed by ${did || 'nobody'}, who is not trusted; name the DID with --trust if it is`,
    };
  try {
    await verifyEnvelope(envelope);
    return { did };
  } catch (error) {
    return {
      did,
      problem: `the signature of ${did} is wrong: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
