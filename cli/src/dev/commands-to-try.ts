/** The next commands to try, in the order of interest; `data` is added when the folder is not the usual one. */
export function commandsToTry(data: string | undefined, demo: boolean): string[] {
  const suffix = data === undefined ? '' : ` --data ${data}`;
  const commands = ['aip fleet status', 'aip capabilities'];
  if (demo) commands.push(`aip actions submit cap:demo:count --input '{"n":5}' --mode streaming --follow`);
  commands.push('aip actions list');
  return commands.map((command) => `npx ${command}${suffix}`);
}
