import type { CompletedCommand, CompletedOption } from './describe.ts';

/** The completion of zsh 5 and later. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const paths = commands
    .slice(1)
    .map(({ path }) => quoted(path))
    .join('|');
  const values = commands.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => valueCase(path, option)),
  );
  return `#compdef gatelog
# Completion of gatelog for zsh: source <(gatelog completion zsh)
_gatelog() {
  local place=gatelog before=\${words[CURRENT-1]} word
  local -a below choices
  for word in \${words[2,CURRENT-1]}; do
    case "$place $word" in
      ${paths}) place="$place $word" ;;
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*}
    compset -P '*='
  fi
  case "$place $before" in
${values.join('\n')}
  esac
  case "$place" in
${commands.map(commandCase).join('\n')}
  esac
  _describe -t commands 'command' below
  [[ \${#below} -eq 0 || $PREFIX == -* ]] && _describe -t options 'option' choices
}
if [[ $funcstack[1] == _gatelog ]]; then _gatelog "$@"; else compdef _gatelog gatelog; fi
`;
}

function commandCase({ path, commands, options, values }: CompletedCommand): string {
  const below = [...commands.map(({ name, description }) => described(name, description)), ...values.map((value) => described(value, ''))];
  const choices = options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description)));
  return `    ${quoted(path)})
      below=(${below.join(' ')})
      choices=(${choices.join(' ')}) ;;`;
}

/** Without values of its own an option takes files. */
function valueCase(path: string, { flags, values, isList }: CompletedOption): string {
  const names = flags.map((flag) => quoted(`${path} ${flag}`)).join('|');
  if (values.length === 0) return `    ${names}) _files; return ;;`;
  const list = values.map(quoted).join(' ');
  return isList ? `    ${names}) compset -P '*,'; compadd -S '' -- ${list}; return ;;` : `    ${names}) compadd -- ${list}; return ;;`;
}

function described(name: string, description: string): string {
  return quoted(description === '' ? name : `${name.replaceAll(':', String.raw`\:`)}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
