import type { ActionStatus } from '@aip/runtime/protocol/types.js';
import { Box, render, Text, useAnimation } from 'ink';
import { useSyncExternalStore } from 'react';
import type { FollowView } from '../../follow-session.js';
import { type Model, openModel } from '../fleet/model.js';
import { chunkText, compact, eventText, seconds, violationTexts } from '../format.js';
import { type Line, Lines, withLine } from '../line.js';
import { Spinner, stateColor } from '../spinner.js';

interface FollowState {
  lines: readonly Line[];
  chunks: number;
  note: string;
  over: boolean;
  status: ActionStatus | undefined;
}

/** A follow on a terminal: what came stays, below it one live line. */
export function followView(actionId: string): FollowView {
  const model = openModel<FollowState>({ lines: [], chunks: 0, note: '', over: false, status: undefined });
  const add = (line: Omit<Line, 'key'>): void =>
    model.change(({ lines }) => ({ lines: withLine(lines, line), note: '' }));
  const app = render(<FollowScreen model={model} actionId={actionId} startedAt={Date.now()} />, {
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 15,
  });
  return {
    event: (event) => {
      if (event.kind !== 'aip.stream.chunk')
        add({ mark: '•', color: 'gray', text: `${event.kind} ${eventText(event)}`, dim: true });
    },
    chunk: (chunk) => {
      model.change(({ chunks }) => ({ chunks: chunks + 1 }));
      add({ mark: `#${chunk.sequence}`, color: 'cyan', text: `${chunk.kind} ${chunkText(chunk)}` });
    },
    reconnecting: (afterMs) => model.change(() => ({ note: `connection lost, again in ${seconds(afterMs)}` })),
    end: async (status) => {
      model.change(() => ({ over: true, status }));
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
  };
}

interface ScreenProps {
  model: Model<FollowState>;
  actionId: string;
  startedAt: number;
}

function FollowScreen({ model, actionId, startedAt }: ScreenProps): React.ReactNode {
  const { lines, chunks, note, over, status } = useSyncExternalStore(model.subscribe, model.get);
  return (
    <>
      <Lines lines={lines} />
      {over ? null : <Live actionId={actionId} text={note || `${chunks} chunks`} startedAt={startedAt} />}
      {status ? <Ended status={status} /> : null}
    </>
  );
}

function Live({ actionId, text, startedAt }: { actionId: string; text: string; startedAt: number }): React.ReactNode {
  useAnimation({ interval: 200 });
  return (
    <Text wrap="truncate">
      <Spinner /> {text}{' '}
      <Text dimColor>
        {seconds(Date.now() - startedAt)} {actionId}
      </Text>
    </Text>
  );
}

function Ended({ status }: { status: ActionStatus }): React.ReactNode {
  const { output, error } = status.result ?? {};
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">
        <Text bold color={stateColor(status.state)}>
          {status.state === 'completed' ? '✓' : '■'} {status.state}
        </Text>{' '}
        <Text dimColor>{status.action_id}</Text>
      </Text>
      {output === undefined ? null : <Text>{compact(output)}</Text>}
      {error ? (
        <Text color="red">
          {error.code} {error.message}
        </Text>
      ) : null}
      {error ? violationTexts(error).map((text) => <Text key={text}> {text}</Text>) : null}
    </Box>
  );
}
