import type { CompletedCommand, CompletedOption } from './describe.ts';

/** The completion of bash 3.2 and later. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const words = commands.map(
    ({ path, commands: below, options, values }) =>
      `    ${quoted(path)}) words=${quoted([...below.map(({ name }) => name), ...values, ...options.flatMap(({ flags }) => flags)].join(' '))} ;;`,
  );
  const values = commands.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => valueCase(path, option)),
  );
  return `# Completion of gatelog for bash: source <(gatelog completion bash)
_gatelog() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path=gatelog words='' list='' i
  # "--option=value" comes in three words.
  if [[ $current == = ]]; then current=''; elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${commands
        .slice(1)
        .map(({ path }) => quoted(path))
        .join('|')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$path $before" in
${values.join('\n')}
  *)
    case "$path" in
${words.join('\n')}
    esac ;;
  esac
  if [[ -n $list ]]; then
    local done=''
    if [[ $current == *,* ]]; then done="\${current%,*},"; fi
    COMPREPLY=($(compgen -P "$done" -W "$words" -- "\${current##*,}"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
  # What goes on behind a dot or a comma has no space behind it.
  if [[ \${#COMPREPLY[@]} -eq 1 && ( -n $list || \${COMPREPLY[0]} == *. ) ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _gatelog gatelog
`;
}

/** Without values of its own an option takes files, which bash offers by default. */
function valueCase(path: string, { flags, values, isList }: CompletedOption): string {
  const names = flags.map((flag) => quoted(`${path} ${flag}`)).join('|');
  return `  ${names}) words=${quoted(values.join(' '))}${isList ? ' list=1' : ''} ;;`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
