import { Text, useAnimation } from 'ink';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** A small moving mark: something is under way. */
export function Spinner(): React.ReactNode {
  const { frame } = useAnimation({ interval: 120 });
  return <Text color="cyan">{FRAMES[frame % FRAMES.length]}</Text>;
}
