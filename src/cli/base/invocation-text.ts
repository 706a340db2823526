/** Matches one of our commands in a text for people. */
const command =
  /(?<![\w./-]|npx )gatelog (?=(?:\[options\]|backup|completion|config|core|dead-letters|doctor|export|gateway|help|import|keys|mcp|metrics|orgs|prices|properties|report|reprice|requests|restore|serve|sessions|store|users|version)(?![\w-]))/g;

/** Rewrites our commands in a text so that they run: npm does not put the program on the path. */
export function asInvoked(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return environment['npm_command'] === undefined ? text : text.replaceAll(command, 'npx gatelog ');
}
