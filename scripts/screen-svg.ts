/** Size of a character in the picture, in units of its view box. */
const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const COLORS: Readonly<Record<number, string>> = {
  31: '#f85149',
  32: '#3fb950',
  33: '#d29922',
  34: '#58a6ff',
  35: '#bc8cff',
  36: '#39c5cf',
  90: '#8b949e',
};
const [BACKGROUND, TEXT, DIM] = ['#0d1117', '#e6edf3', '#8b949e'];

const ESCAPE = '\u001b';
/** A colour sequence, or text up to the next one. */
const PART = new RegExp(`${ESCAPE}\\[([\\d;]*)m|([^${ESCAPE}]+)`, 'g');

interface Style {
  color: string | undefined;
  bold: boolean;
  dim: boolean;
}

const PLAIN: Style = { color: undefined, bold: false, dim: false };

/** A terminal's screen as a picture: its lines with the colour sequences that `tmux capture-pane -e` gives. */
export function screenSvg(lines: readonly string[], columns: number, title: string): string {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = Math.ceil(lines.length * CELL.height + 2 * MARGIN);
  let style = PLAIN;
  const rows = lines.map((line, row) => {
    const spans: string[] = [];
    for (const [, codes, text] of line.matchAll(PART)) {
      if (codes !== undefined) style = styled(style, codes);
      else if (text !== undefined) spans.push(span(text, style));
    }
    const y = MARGIN + (row + 1) * CELL.height - 4;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${spans.join('')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="${TEXT}">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** The text of such a picture, line by line. */
export function svgLines(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, row = '']) =>
    row
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );
}

function span(text: string, { color, bold, dim }: Style): string {
  const fill = color ?? (dim ? DIM : undefined);
  const attributes = `${fill ? ` fill="${fill}"` : ''}${bold ? ' font-weight="bold"' : ''}`;
  return attributes === '' ? escaped(text) : `<tspan${attributes}>${escaped(text)}</tspan>`;
}

function styled(before: Style, codes: string): Style {
  let style = before;
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) style = PLAIN;
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2) style = { ...style, dim: true };
    else if (code === 22) style = { ...style, bold: false, dim: false };
    else if (code === 39) style = { ...style, color: undefined };
    else if (COLORS[code]) style = { ...style, color: COLORS[code] };
  }
  return style;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
