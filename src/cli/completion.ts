/** `berth completion bash|zsh`: a script that the shell runs, made from the table of commands. Pure. */
import { type CommandName, commands, flagsOf } from './words.ts';

const names = Object.keys(commands) as CommandName[];

export const shells = { bash, zsh } as const;

function flagWords(name: CommandName): string[] {
  return [...Object.keys(flagsOf(name)), 'json', 'help'].map((flag) => `--${flag}`);
}

function bash(): string {
  const cases = names.map((name) => `    ${name}) words="${flagWords(name).join(' ')}" ;;\n`).join('');
  return `# eval "$(berth completion bash)"
_berth() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...names, 'help'].join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    completion) COMPREPLY=($(compgen -W "${Object.keys(shells).join(' ')}" -- "$word")); return ;;
${cases}    help) COMPREPLY=($(compgen -W "${names.join(' ')}" -- "$word")); return ;;
    *) return ;;
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _berth berth
`;
}

function zsh(): string {
  const described = names.map((name) => `    '${name}:${quoted(commands[name].help)}'\n`).join('');
  const cases = names
    .map((name) => {
      const flags = Object.entries(flagsOf(name)).map(
        ([flag, { value, help }]) => `'--${flag}[${quoted(help)}]${value ? `:${value}` : ''}'`,
      );
      const words = name === 'completion' ? `'1:shell:(${Object.keys(shells).join(' ')})'` : "'*:file:_files'";
      return `    ${name}) _arguments ${[...flags, "'--json'", "'--help'", words].join(' ')} ;;\n`;
    })
    .join('');
  return `#compdef berth
# eval "$(berth completion zsh)"
_berth() {
  local -a commands
  commands=(
${described}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases}  esac
}
compdef _berth berth
`;
}

/** Within single quotes of a shell, and within zsh's own words. */
function quoted(text: string): string {
  return text
    .replaceAll("'", '’')
    .replaceAll(/[[\]:]/g, ' ')
    .replaceAll(/ +/g, ' ');
}
