/** How a text for people begins one of our commands, or a synopsis of them. */
const command =
  /(?<![\w./-]|npx )gatelog (?=(?:\[options\]|backup|config|core|dead-letters|gateway|help|keys|orgs|reprice|restore|serve|store|version)(?![\w-]))/g;

/** Names our own commands in a text for people as these can run them: where npm started this process it is nowhere on their path. */
export function asRun(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return environment['npm_command'] === undefined ? text : text.replaceAll(command, 'npx gatelog ');
}
