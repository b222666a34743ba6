import { Box, Text, useAnimation, useStdout, useWindowSize } from 'ink';
import { useEffect, useSyncExternalStore } from 'react';
import type { Model } from '../ui/fleet/model.js';
import { seconds, withoutPassword } from '../ui/format.js';
import { Lines } from '../ui/line.js';
import { Spinner } from '../ui/spinner.js';
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
      {state.facts ? <Facts facts={state.facts} table={state.fleet?.table(columns, Date.now()) ?? ''} /> : null}
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
  return <Text dimColor>{seconds(performance.now() - sinceMs)}</Text>;
}

function Facts({ facts, table }: { facts: ReadyFacts; table: string }): React.ReactNode {
  const { info } = facts;
  const first = facts.firstChunkMs === undefined ? '' : `, first chunk after ${seconds(facts.firstChunkMs)}`;
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
          {facts.readyMs === undefined ? '' : ` after ${seconds(facts.readyMs)}`}
          {first}. <Text dimColor>Ctrl-C ends it.</Text>
        </Text>
        {facts.commands.map((command) => (
          <Text key={command} color="cyan">
            {'  '}
            {command}
          </Text>
        ))}
      </Box>
    </Box>
  );
}

function Fact({ name, value }: { name: string; value: string }): React.ReactNode {
  return (
    <Text wrap="truncate-middle">
      <Text dimColor>{name.padEnd(14)}</Text> {value}
    </Text>
  );
}
