/**
 * PURE. Scripts that run around a command in a container. A cluster cannot end a command, and older ones cannot signal
 * the end of its input, so shells of the image do both. The scripts are constant: variable parts come as arguments or
 * through their input.
 */

/** After which all is the command's. */
export const startByte = 0x06;

/** Delimits a message of a script, because shells may print warnings first. */
export const messageStart = '\x01';
export const messageEnd = 0x02;

export const missingDd = 'missing dd';

const speaking = `say() { printf '\\001%s\\002' "$1"; }`;

/**
 * Prints its process ID, which is also the session's ID, and waits for a line. Until then, the program that can end it
 * is not running. Its arguments are the command.
 */
const announced = `
case $1 in
  */*) [ -f "$1" ] && [ -x "$1" ] ;;
  *) command -v "$1" >/dev/null 2>&1 ;;
esac || { [ -e "$1" ] && say 'permission denied' || say 'not found'; exit; }
say "$$"
read -r go || exit
`;

const withTerminal = `
${speaking}
${announced}
export TERM=xterm-256color
printf '\\006'
exec "$@"
`;

/**
 * Input is sent in pieces: a line with the length of each, and 0 at the end. The feeder process sends its ID to the
 * process that waits for the command, because the command may end before it has read everything. Messages of the shells
 * about that are discarded.
 */
const withInput = `
${speaking}
command -v dd >/dev/null 2>&1 || { say '${missingDd}'; exit; }
${announced}
printf '\\006'
exec 4>&2 2>/dev/null
{
  sh -c 'echo "$PPID"; :'
  while read -r size && [ "$size" -gt 0 ]; do dd bs="$size" count=1 iflag=fullblock || break; done
} 4>&- | {
  read -r feeder
  ( exec "$@" 2>&4 4>&- )
  code=$?
  kill -9 "$feeder"
  exit "$code"
}
`;

/**
 * Kills all processes of a session, and their children, once it reads a line or its input ends, which means that the
 * client has disconnected. Names of processes may contain any character, including line breaks and brackets. A process
 * that reuses the ID of an ended session, in this start of the container or another, has another start time. Arguments:
 * the session's ID and, for a repeated run, the start time that the previous run printed. Exits with 1 if processes are
 * left.
 */
const ending = `
${speaking}
leader=$1
look() {
  text=
  while read -r line || [ -n "$line" ]; do text="$text $line"; done <"/proc/$1/stat" || return 1
  set -- \${text##*)}
  state=$1 parent=$2 session=$4 born=\${20}
}
look "$leader" 2>/dev/null || born=gone
first=\${2-$born}
say "$first"
read -r go
round=0
while [ "$round" -lt 50 ]; do
  if look "$leader" && [ "$born" != "$first" ]; then exit 0; fi
  all= found=' '
  for entry in /proc/[0-9]*; do
    number=\${entry#/proc/}
    look "$number" || continue
    case $state in Z | X) continue ;; esac
    all="$all $number:$parent"
    if [ "$session" = "$leader" ]; then found="$found$number "; fi
  done
  grows=yes
  while [ -n "$grows" ]; do
    grows=
    for each in $all; do
      case $found in *" \${each%:*} "*) continue ;; esac
      case $found in *" \${each#*:} "*) found="$found\${each%:*} " grows=yes ;; esac
    done
  done
  [ "$found" != ' ' ] || exit 0
  kill -9 $found
  sleep 0.02
  round=$((round + 1))
done 2>/dev/null
exit 1
`;

export function commandInShell(command: readonly string[], hasTerminal: boolean): string[] {
  return ['sh', '-c', hasTerminal ? withTerminal : withInput, 'sh', ...command];
}

/** `session`: the ID that the command has printed. `began`: the start time that an earlier run has printed. */
export function endInShell(session: number, began?: string): string[] {
  return ['sh', '-c', ending, 'sh', String(session), ...(began === undefined ? [] : [began])];
}
