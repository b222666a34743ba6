import { Static, Text, useWindowSize } from 'ink';
import { wrap } from './tables/width.js';

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
          <WholeLine key={line.key} line={line} />
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

function WholeLine({ line: { mark, color, text } }: { line: Line }): React.ReactNode {
  const { columns } = useWindowSize();
  return (
    <Text>
      <Text color={color}>{mark}</Text> {wrap(text, columns - 2, { whole: true }).join('\n  ')}
    </Text>
  );
}
