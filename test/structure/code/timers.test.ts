import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The one place of deadlines, waits, poll loops and timers. */
const PLACE = 'runtime/src/time/';

/** What waits or joins signals by hand: timers of Node.js, and signals that nothing takes back. */
const BY_HAND = [
  /(?<![.\w])set(?:Timeout|Interval)\b/,
  /\bglobalThis\.set(?:Timeout|Interval)\b/,
  /import (?!\{ setImmediate as \w+ \})[^;]* from '(?:node:)?timers(?:\/promises)?'/,
  /\bAbortSignal\.(?:timeout|any)\b/,
];

/** Files that keep timers of their own, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'cli/src/client/plain-fetch.ts': 'loaded by every command that asks a gateway: no module beside its own',
  'cli/src/progress/progress.ts': 'loaded by every command at its start: no module beside its own',
};

type Source = readonly [file: string, code: string];

function sources(): Source[] {
  return ['runtime', 'controller', 'cli'].flatMap((workspace) =>
    readdirSync(join(ROOT, workspace, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name): Source => {
        const file = join(workspace, 'src', name);
        return [file, readFileSync(join(ROOT, file), 'utf8')];
      }),
  );
}

/** Lines outside of comments that wait or join signals by hand. */
function waitsByHand(files: readonly Source[]): string[] {
  return files
    .filter(([file]) => !file.startsWith(PLACE))
    .flatMap(([file, code]) => {
      const bare = code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
      const found = bare.split('\n').find((line) => BY_HAND.some((form) => form.test(line)));
      return found === undefined ? [] : [`${file}: ${found.trim()}`];
    });
}

const fileOf = (problem: string): string => problem.slice(0, problem.indexOf(':'));

test('deadlines, waits, poll loops and timers are those of runtime/src/time', () => {
  const problems = waitsByHand(sources());
  expect(problems.filter((problem) => !(fileOf(problem) in EXCEPTIONS))).toEqual([]);
});

test('every file that may keep timers of its own has some', () => {
  const files = waitsByHand(sources()).map(fileOf);
  expect(Object.keys(EXCEPTIONS).filter((file) => !files.includes(file))).toEqual([]);
});

test.each([
  `const timer = setTimeout(fire, 10);`,
  `const timer = setInterval(fire, 10).unref();`,
  `globalThis.setTimeout(fire, 10);`,
  `const wait = promisify(setTimeout);`,
  `import { setTimeout as pause } from 'node:timers/promises';`,
  `import { scheduler } from 'node:timers/promises';`,
  `import * as timers from 'node:timers';`,
  `await fetch(url, { signal: AbortSignal.timeout(2000) });`,
  `const signal = AbortSignal.any([one, other]);`,
])('planted in a source, %s is found', (line) => {
  const planted: Source = ['controller/src/planted.ts', `/** Waits. */\nexport const a = 1;\n${line}\n`];
  expect(waitsByHand([planted])).toEqual([`controller/src/planted.ts: ${line}`]);
  expect(waitsByHand([[`${PLACE}planted.ts`, line]])).toEqual([]);
});

test.each([
  `socket.setTimeout(10, end);`,
  `import { setImmediate as nextTurn } from 'node:timers/promises';`,
  `// setTimeout would keep the process alive`,
  `/** As AbortSignal.timeout does. */`,
  `clearTimeout(timer);`,
])('planted in a source, %s is not a wait', (line) => {
  expect(waitsByHand([['controller/src/planted.ts', line]])).toEqual([]);
});
