/** `berth completion bash|zsh`: a script that the shell runs, made from the table of commands. Pure. */

import { flagsOf } from './arguments.ts';
import { type CommandName, commands } from './command-table.ts';

const names = Object.keys(commands) as CommandName[];

export const shells = { bash, zsh } as const;

function flagWords(name: CommandName): string[] {
  return [...Object.keys(flagsOf(name)), 'json', 'help'].map((flag) => `--${flag}`);
}

/** Returns the completions for a command's arguments: one of these, or a file. */
function choicesOf(name: CommandName): string[] | 'files' | 'nothing' {
  const [word]: readonly string[] = commands[name].words;
  if (word === undefined || word === '[POD]') return 'nothing';
  return word.includes('|') ? word.replace(/[[\]]/g, '').split('|') : 'files';
}

function bash(): string {
  const cases = names
    .map((name) => {
      const choices = choicesOf(name);
      const given = choices === 'files' ? ' files=yes' : choices === 'nothing' ? '' : ` choices="${choices.join(' ')}"`;
      return `    ${name}) flags="${flagWords(name).join(' ')}"${given} ;;\n`;
    })
    .join('');
  return `# eval "$(berth completion bash)"
_berth() {
  local word="\${COMP_WORDS[COMP_CWORD]}" flags= choices= files=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...names, 'help'].join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases}    help) choices="${names.join(' ')}" ;;
    *) return ;;
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")); return ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _berth berth
`;
}

function zsh(): string {
  const described = names.map((name) => `    '${name}:${quoted(commands[name].help)}'\n`).join('');
  const cases = names
    .map((name) => {
      const flags = Object.entries(flagsOf(name)).map(
        ([flag, { value, help, multiple }]) =>
          `'${multiple ? '*' : ''}--${flag}[${quoted(help)}]${value ? `:${value}:${placeOf(value)}` : ''}'`,
      );
      const choices = choicesOf(name);
      const words =
        choices === 'files' ? ["'*:file:_files'"] : choices === 'nothing' ? [] : [`'1: :(${choices.join(' ')})'`];
      return `    ${name}) _arguments ${[...flags, "'--json'", "'--help'", ...words].join(' ')} ;;\n`;
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
${cases}    help) _arguments '1: :(${names.join(' ')})' ;;
  esac
}
compdef _berth berth
`;
}

/** How zsh completes a flag's value; blank if the value is not a path. */
function placeOf(value: string): string {
  return value === 'FILE' || value === 'FOLDER' ? '_files' : ' ';
}

/** Quotes a text for a single-quoted argument of zsh. */
function quoted(text: string): string {
  return text
    .replaceAll("'", '’')
    .replaceAll(/[[\]:]/g, ' ')
    .replaceAll(/ +/g, ' ');
}
