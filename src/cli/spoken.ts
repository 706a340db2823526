/** Names our own commands in a text for people as these can run them: where npm started this process it is nowhere on their path. */
export function asRun(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return environment['npm_command'] === undefined ? text : text.replaceAll('"gatelog ', '"npx gatelog ');
}
