import { Box, render, Text, useAnimation, useWindowSize } from 'ink';
import { useSyncExternalStore } from 'react';
import { Spinner } from '../spinner.js';
import { type Model, openModel } from './model.js';
import type { WatchSnapshot } from './snapshot.js';
import type { FleetView } from './view.js';

interface FleetState {
  snapshot: WatchSnapshot | undefined;
  lost: string | undefined;
}

/** A fleet on a terminal: one table that keeps itself up to date. */
export function liveFleetView(title: string): FleetView {
  const model = openModel<FleetState>({ snapshot: undefined, lost: undefined });
  const app = render(<FleetScreen model={model} title={title} />, {
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 10,
  });
  return {
    show: (snapshot) => model.change(() => ({ snapshot, lost: undefined })),
    lost: (lost) => model.change(() => ({ lost })),
    close: async () => {
      await app.waitUntilRenderFlush();
      app.unmount();
      await app.waitUntilExit();
    },
  };
}

function FleetScreen({ model, title }: { model: Model<FleetState>; title: string }): React.ReactNode {
  const { snapshot, lost } = useSyncExternalStore(model.subscribe, model.get);
  const { columns, rows } = useWindowSize();
  // Ages grow though nothing happens.
  useAnimation({ interval: 1000 });
  const lines = snapshot?.table(columns, Date.now()).split('\n') ?? [];
  const room = Math.max(3, rows - 4);
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">
        <Spinner /> <Text bold>{title}</Text> <Text dimColor>Ctrl-C ends this view</Text>
      </Text>
      {lost ? (
        <Text color="yellow" wrap="truncate">
          {lost}; again soon
        </Text>
      ) : null}
      <Text wrap="truncate">{lines.slice(0, room).join('\n')}</Text>
      {lines.length > room ? <Text dimColor>… {lines.length - room} more lines; --namespace narrows it</Text> : null}
    </Box>
  );
}
