/**
 * How a command is started in the clone. TRICKY: without `--no-install` npm, in another folder, would fetch whatever program somebody has
 * published under our name, and run it with the key in its environment.
 */
export const invocation = 'npx --no-install gatelog';

/** Of the first level; in a text for people "gatelog" is a command before one of them or an option, and else the program's name. */
const commandNames = [
  'alerts|apply|backup|completion|config|core|dead-letters|demo|doctor|export|gateway|help|import|keys|limits|mcp|metrics|orgs|prices',
  'properties|report|reprice|requests|restore|serve|sessions|store|users|version|webhooks',
].join('|');

/** Matches one of our commands in a text for people. */
const command = new RegExp(
  String.raw`(?<![\w./-]|npx |--no-install |-- )gatelog (?=--(?:help|version)\b|\[options\]|COMMAND|(?:${commandNames})(?![\w-]))`,
  'g',
);

/** Rewrites our commands in a text so that they run: npm does not put the program on the path. */
export function asInvoked(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return environment['npm_command'] === undefined ? text : text.replaceAll(command, `${invocation} `);
}
