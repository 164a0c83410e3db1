/**
 * PURE. How to make a Redis save all its data to its volume, with its own tool in its container. The password comes
 * from the document, and is passed to the tool only through its input.
 */
import type { PodSpec } from '../../config/spec/spec.ts';
import { splitWords } from '../../config/values/shell-words.ts';
import { replaceScriptlets } from '../../config/variables/scriptlets.ts';
import { type Derive, generatedValue } from '../../deployment/workload/derived-secrets.ts';
import type { Tool } from './run-tool.ts';

type StartedPod = Pick<PodSpec, 'entrypoint' | 'command' | 'vars' | 'files' | 'volumes'>;

/** `input`: to be given to the tool. */
export function savingOf(pod: StartedPod, derive: Derive): { tool: Tool; input: string } {
  const { port, passwords } = accessOf(pod, derive);
  const mounts = pod.volumes.map(({ mountPath }) => mountPath);
  const command = ['sh', '-c', script, 'sh', String(port), ...mounts];
  return { tool: { what: 'redis-cli', command }, input: passwords.map((each) => `${each}\n`).join('') };
}

const usualPort = 6379;

/** Returns all passwords in the document: in the command, in the variables, or in a file that Redis reads. */
export function accessOf(
  { entrypoint = [], command = [], vars, files }: Omit<StartedPod, 'volumes'>,
  derive: Derive,
): { port: number; passwords: string[] } {
  const resolve = (text: string) =>
    replaceScriptlets(text, (scriptlet) => (scriptlet.kind === 'secret' ? generatedValue(scriptlet.name, derive) : ''));
  const values = new Map(Object.entries(vars).map(([name, value]) => [name, resolve(value)]));
  const contents = new Map(files.map(({ path, content }) => [path, resolve(content)]));
  const given = [...entrypoint, ...command].map(resolve);
  const scripts = [...given, ...argumentVariables.map((name) => values.get(name) ?? '')];
  const words = [given, ...scripts.map((text) => splitWords(text) ?? [])];
  const lines = [...contents.values()].flatMap((text) => text.split('\n')).map((line) => splitWords(line) ?? []);
  const reported = (option: string) => [
    ...words.flatMap((some) => some.filter((_, at) => some[at - 1] === `--${option}`)),
    ...lines.flatMap(([name, value]) => (name === option && value !== undefined ? [value] : [])),
  ];
  const expand = (word: string) => values.get(reference.exec(word)?.[1] ?? '') ?? word;
  const inVariables = [...values].flatMap(([name, value]) => {
    const [, isFile] = passwordVariable.exec(name) ?? [];
    return isFile === undefined ? [] : [isFile === '' ? value : (contents.get(value)?.trim() ?? '')];
  });
  const ports = reported('port').map((word) => Number(expand(word)));
  return {
    port: ports.find((port) => Number.isInteger(port) && port > 0 && port < 65_536) ?? usualPort,
    passwords: [...new Set([...reported('requirepass').map(expand), ...inVariables])].filter((each) =>
      /^.+$/.test(each),
    ),
  };
}

/** Variables whose values some images add to the command. */
const argumentVariables = ['VALKEY_EXTRA_FLAGS', 'REDIS_ARGS'];
const passwordVariable = /^(?:REDIS|VALKEY|KEYDB)_PASSWORD((?:_FILE)?)$/;
/** `$NAME`, `${NAME}`, `${NAME:?why}` */
const reference = /^\$\{?([A-Za-z_]\w*)(?::?[-?][^}]*)?\}?$/;

/**
 * Arguments: the port and the path of the volumes. It reads passwords, one per line. A save that is already running may
 * lack later writes, so the script waits for it, and for a rewrite of the log, and then starts its own.
 */
const script = `
given=$(cat)
nl='
'
port=$1
shift
for cli in redis-cli valkey-cli keydb-cli; do ! command -v "$cli" >/dev/null || break; done
unset REDISCLI_AUTH
ask() { "$cli" -p "$port" "$@" 2>&1 | tr -d '\\r'; }
info() { ask INFO persistence | sed -n "s/^$1://p"; }
rest() { sleep 0.2 2>/dev/null || sleep 1; }
fail() { printf '%s\\n' "$1" >&2; exit 1; }
until answer=$(ask PING); [ "$answer" = PONG ]; do
  [ -n "$given" ] || fail "It accepts no password of its document: $answer"
  REDISCLI_AUTH=\${given%%"$nl"*}
  export REDISCLI_AUTH
  case $given in *"$nl"*) given=\${given#*"$nl"} ;; *) given= ;; esac
done
answer=$(ask CONFIG GET dir)
where=$(printf '%s\\n' "$answer" | sed -n 2p)
[ -n "$where" ] || fail "It does not report where its data is: $answer"
kept=
for mount in "$@"; do case $where/ in "\${mount%/}"/*) kept=yes ;; esac; done
[ -n "$kept" ] || fail "Its data is in $where, which is in no volume of its pod."
until answer=$(ask BGSAVE); [ "$answer" = 'Background saving started' ]; do
  case $answer in *'in progress'* | *"can't BGSAVE"*) rest ;; *) fail "$answer" ;; esac
done
while [ "$(info rdb_bgsave_in_progress)" = 1 ]; do rest; done
[ "$(info rdb_last_bgsave_status)" = ok ] || fail 'It could not write its data; its log says why.'
`;
