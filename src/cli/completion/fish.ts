import type { CompletedCommand, CompletedOption } from './describe.ts';

/** The completion of fish 3 and later. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.slice(1).map(({ path }) => quoted(path));
  return `# Completion of gatelog for fish: gatelog completion fish | source
function __gatelog_at --argument-names wanted
  set -l place gatelog
  for word in (commandline -opc)[2..-1]
    if contains -- "$place $word" ${paths.join(' ')}
      set place "$place $word"
    end
  end
  test "$place" = "$wanted"
end
function __gatelog_list
  set -l done (string match -r '.*,' -- (commandline -ct | string replace -r '^--[^=]*=' ''))
  for value in $argv
    echo "$done$value"
  end
end
complete -c gatelog -e
complete -c gatelog -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, values }: CompletedCommand): readonly string[] {
  const at = `complete -c gatelog -n ${quoted(`__gatelog_at '${path}'`)}`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${quoted(name)} -d ${quoted(description)}`),
    ...values.map((value) => `${at} -a ${quoted(value)}`),
    ...options.flatMap((option) => option.flags.map((flag) => `${at} ${flagOf(flag)}${valueOf(option)} -d ${quoted(option.description)}`)),
  ];
}

function flagOf(flag: string): string {
  return flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
}

/** Without values of its own an option takes files. */
function valueOf({ takesValue, values, isList }: CompletedOption): string {
  if (!takesValue) return '';
  if (values.length === 0) return ' -r -F';
  return ` -x -a ${quoted(isList ? `(__gatelog_list ${values.join(' ')})` : values.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
