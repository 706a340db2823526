/** What commands are for, and their names, in the order in which the help has them. */
const commandGroups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Start', ['init', 'serve', 'demo', 'doctor', 'config']],
  ['Look', ['report', 'metrics', 'requests', 'sessions', 'users', 'simulate']],
  ['Watch', ['alerts', 'webhooks', 'limits', 'apply']],
  ['Data', ['export', 'import', 'properties', 'prices', 'reprice']],
  ['Access', ['orgs', 'keys', 'agents']],
  ['Operate', ['backup', 'restore', 'store', 'dead-letters', 'gateway', 'core']],
  ['Tools', ['mcp', 'completion', 'help', 'version']],
];

/** Of a command of the first level; undefined: it has none. */
export function groupOf(name: string): string | undefined {
  return commandGroups.find(([, names]) => names.includes(name))?.[0];
}

const width = Math.max(...commandGroups.map(([title]) => title.length));

/** What `gatelog` alone says. */
export const shortHelp = `Gatelog records every request to LLM providers and answers questions about them.

Usage: gatelog COMMAND

${commandGroups.map(([title, names]) => `  ${title.padEnd(width)}  ${names.join(', ')}`).join('\n')}

Often wanted:
  gatelog init                                the first minutes: settings, a start and a call
  gatelog serve                               start everything on this machine
  gatelog report                              what it cost today, and what failed
  gatelog requests list --since today --where 'status>=400'
  gatelog sessions show support-4711          where a session's cost went
  gatelog limits list                         how full budgets are
  gatelog doctor                              find out what is wrong

"gatelog help" shows all commands with examples, "gatelog help COMMAND" one of them.`;
