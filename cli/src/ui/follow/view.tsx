import type { ActionStatus } from '@aip/runtime/internal/protocol';
import { Box, render, Text, useAnimation } from 'ink';
import { useSyncExternalStore } from 'react';
import { shortDuration, timeLeft } from '../../duration.js';
import type { FollowView } from '../../follow-session.js';
import { type Model, openModel } from '../fleet/model.js';
import { chunkText, compact, eventText, violationTexts } from '../format.js';
import { type Line, Lines, withLine } from '../line.js';
import { stateColor } from '../paint.js';
import { Spinner } from '../spinner.js';
import { sayInterrupted } from './lines.js';
import { waitingLines } from './submitted.js';

interface FollowState {
  lines: readonly Line[];
  chunks: number;
  state: string;
  /** When the connection is tried again, in ms since the epoch. */
  againAt: number | undefined;
  over: boolean;
  status: ActionStatus | undefined;
}

/** A follow on a terminal: what came stays, below it one live line. */
export function followView(actionId: string, capability?: string): FollowView {
  const first = { mark: '▶', color: 'cyan', text: capability ?? 'action', aside: actionId };
  const model = openModel<FollowState>({
    lines: withLine([], first),
    chunks: 0,
    state: 'waiting',
    againAt: undefined,
    over: false,
    status: undefined,
  });
  const add = (line: Omit<Line, 'key'>): void =>
    model.change(({ lines }) => ({ lines: withLine(lines, line), againAt: undefined }));
  const app = render(<FollowScreen model={model} actionId={actionId} startedAt={Date.now()} />, {
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 15,
  });
  return {
    event: (event) => {
      const state = (event.data as { state?: unknown } | undefined)?.state;
      if (typeof state === 'string') model.change(() => ({ state }));
      if (event.kind !== 'aip.stream.chunk')
        add({ mark: '•', color: 'gray', text: `${event.kind} ${eventText(event)}`, dim: true });
    },
    chunk: (chunk) => {
      model.change(({ chunks }) => ({ chunks: chunks + 1, state: 'streaming' }));
      add({ mark: `#${chunk.sequence}`, color: 'cyan', text: `${chunk.kind} ${chunkText(chunk)}` });
    },
    reconnecting: (afterMs) => model.change(() => ({ againAt: Date.now() + afterMs })),
    end: async (status) => {
      model.change(() => ({ over: true, status }));
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
    interrupted: () => sayInterrupted(actionId),
  };
}

interface ScreenProps {
  model: Model<FollowState>;
  actionId: string;
  startedAt: number;
}

function FollowScreen({ model, actionId, startedAt }: ScreenProps): React.ReactNode {
  const { lines, over, status, ...live } = useSyncExternalStore(model.subscribe, model.get);
  return (
    <>
      <Lines lines={lines} />
      {over ? null : <Live actionId={actionId} live={live} startedAt={startedAt} />}
      {status ? <Ended status={status} /> : null}
    </>
  );
}

interface LiveProps {
  actionId: string;
  live: Pick<FollowState, 'chunks' | 'state' | 'againAt'>;
  startedAt: number;
}

function Live({ actionId, live, startedAt }: LiveProps): React.ReactNode {
  useAnimation({ interval: 200 });
  const { chunks, state, againAt } = live;
  const counted = chunks === 0 ? '' : ` ${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}`;
  const text =
    againAt === undefined ? `${state}${counted}` : `connection lost, again in ${timeLeft(againAt - Date.now())}`;
  return (
    <Text wrap="truncate">
      <Spinner /> {text}{' '}
      <Text dimColor>
        {shortDuration(Date.now() - startedAt)} {actionId}
      </Text>
    </Text>
  );
}

function Ended({ status }: { status: ActionStatus }): React.ReactNode {
  const waits = status.state === 'pending_approval';
  const { output, error } = waits ? {} : (status.result ?? {});
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">
        <Text bold color={stateColor(status.state)}>
          {status.state === 'completed' ? '✓' : '■'} {status.state}
        </Text>{' '}
        <Text dimColor>{status.action_id}</Text>
      </Text>
      {waits ? waitingLines({ status }).map((line) => <Text key={line}>{line}</Text>) : null}
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
