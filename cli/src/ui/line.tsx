import { Box, Static, Text } from 'ink';

/** One line that stays on the screen. */
export interface Line {
  key: number;
  mark: string;
  color: string;
  text: string;
  aside?: string;
  dim?: boolean;
  /** Takes as many lines of the screen as it needs; others are cut. */
  whole?: boolean;
}

/** The lines so far with one more. */
export function withLine(lines: readonly Line[], line: Omit<Line, 'key'>): Line[] {
  return [...lines, { ...line, key: lines.length }];
}

/** Lines that are written once and scroll away like any output. */
export function Lines({ lines }: { lines: readonly Line[] }): React.ReactNode {
  return (
    <Static items={[...lines]}>
      {(line) =>
        line.whole ? (
          <Box key={line.key}>
            <Text color={line.color}>{line.mark} </Text>
            <Text wrap="wrap">{line.text}</Text>
          </Box>
        ) : (
          <Text key={line.key} wrap="truncate" dimColor={line.dim === true}>
            <Text color={line.color}>{line.mark}</Text> {line.text}
            {line.aside ? <Text dimColor> {line.aside}</Text> : null}
          </Text>
        )
      }
    </Static>
  );
}
