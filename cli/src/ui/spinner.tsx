import { Text, useAnimation } from 'ink';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** A small moving mark: something is under way. */
export function Spinner(): React.ReactNode {
  const { frame } = useAnimation({ interval: 120 });
  return <Text color="cyan">{FRAMES[frame % FRAMES.length]}</Text>;
}

/** Ink colour of a state word. */
export function stateColor(state: string): string {
  const colors: Readonly<Record<string, string>> = {
    completed: 'green',
    ready: 'green',
    failed: 'red',
    expired: 'red',
    dead_lettered: 'red',
    cancelled: 'yellow',
    draining: 'yellow',
    pending_approval: 'yellow',
  };
  return colors[state] ?? 'white';
}
