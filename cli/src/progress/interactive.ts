/**
 * May this output be redrawn in place? A terminal that is not dumb, outside continuous integration. With NO_COLOR the views keep their
 * layout and lose their colours, which the view library learns only through FORCE_COLOR.
 */
export function isInteractive(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) env.FORCE_COLOR = '0';
  return stream.isTTY === true && env.TERM !== 'dumb' && !env.CI;
}
