import { Box, Text, useAnimation, useStdout, useWindowSize } from 'ink';
import { useEffect, useSyncExternalStore } from 'react';
import { shortDuration } from '../duration.js';
import type { Model } from '../ui/fleet/model.js';
import { withoutPassword } from '../ui/format.js';
import { Lines } from '../ui/line.js';
import { paint } from '../ui/paint.js';
import { Spinner } from '../ui/spinner.js';
import { lengthOf } from '../ui/tables/width.js';
import type { ReadyFacts } from './dev-view.js';
import type { LiveState } from './live-model.js';
import { readyText } from './ready-text.js';
import type { Writer } from './writer.js';

/** The whole screen of `aip dev`. */
export function LiveScreen({ model, writer }: { model: Model<LiveState>; writer: Writer }): React.ReactNode {
  const { write } = useStdout();
  useEffect(() => writer.open(write), [writer, write]);
  const state = useSyncExternalStore(model.subscribe, model.get);
  const { columns } = useWindowSize();
  return (
    <>
      <Lines lines={state.lines} />
      {state.running.length > 0 || state.doing ? (
        <Underway
          labels={[...state.running.map(({ label }) => label), ...(state.doing ? [state.doing] : [])]}
          sinceMs={state.sinceMs}
        />
      ) : null}
      {state.facts ? (
        <Facts
          facts={state.facts}
          table={state.fleet?.table(columns, Date.now()) ?? ''}
          columns={columns}
          writer={writer}
        />
      ) : null}
    </>
  );
}

function Underway({ labels, sinceMs }: { labels: string[]; sinceMs: number }): React.ReactNode {
  return (
    <Text wrap="truncate">
      <Spinner /> {labels.join(', ')} <Elapsed sinceMs={sinceMs} />
    </Text>
  );
}

function Elapsed({ sinceMs }: { sinceMs: number }): React.ReactNode {
  useAnimation({ interval: 120 });
  return <Text dimColor>{shortDuration(performance.now() - sinceMs)}</Text>;
}

function Facts({
  facts,
  table,
  columns,
  writer,
}: {
  facts: ReadyFacts;
  table: string;
  columns: number;
  writer: Writer;
}): React.ReactNode {
  const { info } = facts;
  const first = facts.firstChunkMs === undefined ? '' : `, first chunk after ${shortDuration(facts.firstChunkMs)}`;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Fact name="gateway" value={info.gateway_url} />
      <Fact name="control plane" value={new URL(info.control_url).origin} />
      <Fact name="token" value={info.token_file} />
      <Fact name="database" value={withoutPassword(info.database_url)} />
      <Fact name="data folder" value={facts.dataDir} />
      <Box marginTop={1}>
        <Text wrap="wrap">{table}</Text>
      </Box>
      <Box marginTop={1} flexDirection="column">
        <Text>
          {readyText(info)}
          {facts.readyMs === undefined ? '' : ` after ${shortDuration(facts.readyMs)}`}
          {first}. <Text dimColor>Ctrl-C ends it.</Text>
        </Text>
        <Commands commands={facts.commands} columns={columns} writer={writer} />
      </Box>
    </Box>
  );
}

/**
 * The commands to try. What is redrawn has to fit into its lines, and a command that is broken by a new line cannot be copied: those that do not all
 * fit are written above, once, where the terminal breaks them.
 */
function Commands({
  commands,
  columns,
  writer,
}: {
  commands: readonly string[];
  columns: number;
  writer: Writer;
}): React.ReactNode {
  const text = commands.map((command) => `  ${paint.key(command)}\n`).join('');
  const fit = commands.every((command) => lengthOf(command) + 2 <= columns);
  useEffect(() => {
    if (!fit) writer.write(`Try:\n${text}`);
  }, [fit, text, writer]);
  if (!fit) return null;
  return commands.map((command) => (
    <Text key={command} color="cyan">
      {'  '}
      {command}
    </Text>
  ));
}

function Fact({ name, value }: { name: string; value: string }): React.ReactNode {
  return (
    <Text wrap="truncate-middle">
      <Text dimColor>{name.padEnd(14)}</Text> {value}
    </Text>
  );
}
