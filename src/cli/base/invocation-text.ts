/**
 * How a command is started in the clone, and where the package is installed beside others. TRICKY: without `--no-install` npm, in another
 * folder, would fetch whatever program somebody has published under our name, and run it with the key in its environment.
 */
export const invocation = 'npx --no-install gatelog';

/** Of the first level; in a text for people "gatelog" is a command before one of them or an option, and else the program's name. */
const commandNames = [
  'agents|alerts|apply|backup|completion|config|core|dead-letters|demo|doctor|export|gateway|help|import|init|keys|limits|mcp|metrics|orgs|prices',
  'properties|report|reprice|requests|restore|serve|sessions|simulate|store|users|version|webhooks',
].join('|');

/** Matches one of our commands in a text for people. */
const command = new RegExp(
  String.raw`(?<![\w./-]|npx |--no-install |-- )gatelog (?=--(?:help|version)\b|\[options\]|COMMAND|(?:${commandNames})(?![\w-]))`,
  'g',
);

/** Rewrites our commands in a text so that they run: npm does not put the program on the path. */
export function asInvoked(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  const { npm_command: byNpm, npm_config_package: named = '' } = environment;
  if (byNpm === undefined) return text;
  const started = named === '' ? invocation : `npx --package ${asWord(named)} gatelog`;
  return text.replaceAll(command, () => `${started} `);
}

/** A text as one word of a shell. */
function asWord(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
