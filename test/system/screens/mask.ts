const xs = (text: string): string => 'x'.repeat(text.length);

/** What differs from run to run, and what takes its place. Nearly all are as wide as what they replace, so that a screen keeps its alignment. */
const VARYING: readonly [pattern: RegExp, put: string | ((...found: string[]) => string)][] = [
  [/(--cursor )[\w-]{20,}/g, '$1CURSOR'],
  // The gateway leaves out zeros at the end of a fraction, and a fraction of zeros whole; what it shows to people has none.
  [/(?<="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z(?=")/g, '.000Z'],
  [
    /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?(Z|(?=…)))?/g,
    (text) => text.replaceAll(/\d/g, '0').replace(/\.0+Z/, '.000Z'),
  ],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (text) => text.replaceAll(/[0-9a-f]/g, 'x')],
  [
    /\b(act|appr|sess|txn|rcpt|evt|msg|aud|dlv|delivery|cver|tok)_([0-9a-f]{5,}\b|[0-9a-f]*(?=…))/g,
    (_, kind = '', id = '') => `${kind}_${xs(id)}`,
  ],
  [/\b(crepl|cinst)_([\w.-]+)\.[0-9a-f]{8}\b/g, '$1_$2.xxxxxxxx'],
  [/\b([a-z]+)-[0-9a-f]{6}-(\d)\b/g, '$1-xxxxxx-$2'],
  [/did:key:z[1-9A-HJ-NP-Za-km-z]+/g, (text) => `did:key:z${xs(text.slice(9))}`],
  [/…[1-9A-HJ-NP-Za-km-z]{8}(?![\w-])/g, '…xxxxxxxx'],
  [/\bcb:[0-9a-f]{4,}/g, (text) => `cb:${xs(text.slice(3))}`],
  [/\bhost_[0-9a-f]{16}\b/g, (text) => `host_${xs(text.slice(5))}`],
  [/\baip_[\w-]{43}\b/g, (text) => `aip_${xs(text.slice(4))}`],
  [/\b[0-9a-f]{64}\b/g, xs],
  [/^\d\d:\d\d:\d\d /gm, '00:00:00 '],
  [/(gateway +)\d+\.\d+\.\d+/g, '$1V.V.V'],
  [/sha256:[0-9a-f]{6,}/g, (text) => `sha256:${xs(text.slice(7))}`],
  [/(?<![\w.])[0-9a-f]{12}(?![\w.])/g, xs],
  [/127\.0\.0\.1:\d{5}/g, '127.0.0.1:PPPPP'],
  [/\bPort \d{5}\b/g, 'Port PPPPP'],
  [/\b[0-9a-f]{16}(?= {2}until )/g, xs],
  [/(?<=until )\d{4}-\d\d-\d\d$/gm, '0000-00-00'],
  [/(\/tmp\/aip-screens-)\w{6}/g, '$1xxxxxx'],
  [/run\d\b/g, 'run0'],
  // On a busy machine the central server may acknowledge a delivery after the 2 seconds that its answer waits for.
  [/\(durably_queued\)/g, '(centrally_acknowledged)'],
  [/(?<=\b(?:ready|draining|drained|offline) +)(?: |\d)\ds\b/g, 'NNs'],
  [/(?<=rocess )( *)\d+/g, '$1PID'],
  [/\d+\.\d+\.\d+ {2}Node\.js \d+\.\d+\.\d+, \S+/g, 'V.V.V  Node.js V.V.V, PLATFORM'],
  [/Node\.js \d+\.\d+\.\d+/g, 'Node.js V.V.V'],
];

/** A screen without what differs from run to run: ids, times, ports, keys, digests, process ids and temporary folders. */
export function masked(text: string): string {
  return VARYING.reduce((shown, [pattern, put]) => shown.replaceAll(pattern, put as string), text);
}
