/**
 * The program that the engine contract runs: a few verbs, once as a shell script for engines with real containers and
 * once as a function for the one in memory. Its image has the entrypoint `/bin/contract` and the command `serve 8080`.
 */
import type { Engine } from '../../src/engine/engine.ts';
import type { Answer, MemoryProcess, MemoryRun } from '../../src/engine/memory/world.ts';

export const entrypoint = ['/bin/contract'];
export const command = ['serve', '8080'];
export const port = 8080;

/** Paths of `serve`: who answers (the variable IDENTITY), and an answer with a chosen status. */
export const identityPath = '/cgi-bin/identity';
export const statusPath = (status: number) => `/cgi-bin/status?${status}`;

export const script = `#!/bin/sh
verb="$1"; shift
each() { for value in "$@"; do printf %s "$value" | base64 -w0; echo; done; }
case "$verb" in
  serve) sleep "\${2:-0}"; echo "serving $1"; exec httpd -f -p "$1" -h /www ;;
  exit) exit "$1" ;;
  idle) exec sleep 100000 ;;
  talk)
    number=$(($(cat /srv/starts 2>/dev/null || echo 0) + 1)); echo "$number" >/srv/starts
    echo "start $number"; echo "and $number"
    test "$number" -gt "$1" || { sleep 1; exit 1; }
    exec sleep 100000 ;;
  spin) for program in $(seq "$1"); do sh -c 'while :; do :; done' & done; wait ;;
  complain) echo "$1"; echo "$2" >&2 ;;
  print-arguments) each "$@" ;;
  print-environment) base64 -w0 /proc/self/environ; echo ;;
  print-file) base64 -w0 "$1"; echo; stat -c '%a %u' "$1" ;;
  fill) head -c "$2" /dev/zero >>"$1" 2>/dev/null; stat -c %s "$1" ;;
  hold) head -c "$2" /dev/zero >"$1"; exec sleep 100000 ;;
  list) ls -A "$1" ;;
  append) printf '%s\\n' "$2" >>"$1"; cat "$1" ;;
  fetch) for url in "$@"; do wget -q -O - "$url" || echo "no answer"; done ;;
  eat-memory) exec tail /dev/zero ;;
  healthy-after) test "$(cut -d. -f1 /proc/uptime)" -gt 0 && test -f /tmp/healthy ;;
  *) echo "no such verb: $verb"; exit 64 ;;
esac
`;

export const cgi = {
  identity: '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n%s\\n" "$IDENTITY"\n',
  status:
    '#!/bin/sh\nprintf "Status: %s x\\r\\nLocation: http://127.0.0.1:1/\\r\\n\\r\\nit is %s\\n" "$QUERY_STRING" "$QUERY_STRING"\n',
};

/** Decodes the output of `print-…`. */
export const decode = (line: string | undefined) => Buffer.from(line ?? '', 'base64').toString('utf8');

/** The decoded output of a workload: its last `tail` lines. */
export async function written(engine: Engine, name: string, tail: number): Promise<string[]> {
  return (await engine.logs(name, { tail })).map(({ text }) => decode(text));
}

export function program(container: MemoryProcess): MemoryRun {
  const [, verb, ...args] = container.args;
  switch (verb) {
    case 'serve':
      return {
        ports: [Number(args[0])],
        output: [`serving ${args[0]}`],
        respond: (path) => respond(path, container.env.IDENTITY ?? ''),
      };
    case 'exit':
      return { exitCode: Number(args[0]) };
    case 'idle':
      return {};
    case 'talk': {
      const number = Number(container.read('/srv/starts') ?? 0) + 1;
      container.write('/srv/starts', String(number));
      const output = [`start ${number}`, `and ${number}`];
      return number > Number(args[0]) ? { output } : { output, exitCode: 1 };
    }
    case 'complain':
      return { exitCode: 0, output: [args[0]!], errorOutput: [args[1]!] };
    case 'print-arguments':
      return { exitCode: 0, output: args.map(encode) };
    case 'print-environment': {
      const pairs = Object.entries(container.env).map(([name, value]) => `${name}=${value}`);
      return { exitCode: 0, output: [encode(pairs.join('\0'))] };
    }
    case 'print-file':
      return { exitCode: 0, output: [encode(container.read(args[0] ?? '') ?? ''), '644 0'] };
    case 'fill': {
      const [path = '', bytes = ''] = args;
      container.write(path, (container.read(path) ?? '') + '0'.repeat(Number(bytes)));
      return { exitCode: 0, output: [String(container.read(path)?.length)] };
    }
    case 'hold':
      container.write(args[0] ?? '', '0'.repeat(Number(args[1])));
      return {};
    case 'list':
      return { exitCode: 0, output: container.list(args[0] ?? '') };
    case 'append': {
      const [path = '', line = ''] = args;
      const content = `${container.read(path) ?? ''}${line}\n`;
      container.write(path, content);
      return { exitCode: 0, output: content.trimEnd().split('\n') };
    }
    case 'fetch':
      return { exitCode: 0, output: args.map((url) => fetchText(container, new URL(url))) };
    default:
      return { exitCode: 64, output: [`no such verb: ${verb}`] };
  }
}

function respond(path: string, identity: string): Answer {
  if (path === identityPath) return { status: 200, body: identity };
  const status = /^\/cgi-bin\/status\?(\d+)$/.exec(path)?.[1];
  return { status: status ? Number(status) : 404, body: status ? `it is ${status}` : '' };
}

function fetchText(container: MemoryProcess, { hostname, port: number, pathname, search }: URL): string {
  return container.fetch(hostname, Number(number), pathname + search)?.body ?? 'no answer';
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
