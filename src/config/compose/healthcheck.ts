/** `healthcheck` → an HTTP check, where the test plainly asks a local address. */
import type { HealthCheck } from '../spec.ts';
import { childOf, type Field, itemsOf } from '../tree.ts';
import { splitWords } from '../words.ts';
import { integerOf, isTrue, keyOf, type Reading } from './reading.ts';
import { readSeconds } from './resources.ts';

export function readHealthCheck(service: Field, names: readonly string[], reading: Reading): HealthCheck | undefined {
  const field = childOf(service, 'healthcheck');
  if (!field) return undefined;
  const test = childOf(field, 'test');
  const words = test ? readTest(test, reading) : undefined;
  if (isTrue(reading, childOf(field, 'disable')) || words?.[0] === 'NONE') {
    reading.warn(
      keyOf(field),
      'healthcheck',
      'the check of health cannot be switched off',
      'the first port is asked instead',
    );
    return undefined;
  }
  const asked = words && readRequest(words, names);
  if (test && !asked) {
    const hint =
      "the image's own check or the first port says when it is ready; curl -f of a local http:// address would be asked";
    const message = 'the command of the check is not run';
    reading.warn(keyOf(field), 'healthcheck', message, hint);
  }
  // Docker's own defaults.
  const periodSeconds = readSeconds(childOf(field, 'interval'), reading) ?? 30;
  const timeoutSeconds = readSeconds(childOf(field, 'timeout'), reading) ?? 30;
  const retries = integerOf(reading, childOf(field, 'retries'), 0) || 3;
  // Failures of the start period do not count, but its first success does: it is no delay, but more failures.
  const startSeconds = readSeconds(childOf(field, 'start_period'), reading) ?? 0;
  const failureThreshold = Math.min(retries + Math.ceil(startSeconds / periodSeconds), 100);
  return asked && { ...asked, initialDelaySeconds: 0, periodSeconds, timeoutSeconds, failureThreshold };
}

/** A plain request of a local address is shorter. */
const longestCommand = 500;

/** The words of the command, or `['NONE']`; undefined when there is none, or a shell is needed to tell. */
function readTest(test: Field, reading: Reading): string[] | undefined {
  const parts = itemsOf(test).map((item) => reading.text(item) ?? '');
  if (test.tree.kind === 'scalar') return wordsOf(parts[0] ?? '');
  if (parts[0] === 'NONE') return ['NONE'];
  if (parts[0] === 'CMD-SHELL') return wordsOf(parts[1] ?? '');
  if (parts[0] !== 'CMD') return undefined;
  // `CMD sh -c "…"` is a shell by another name.
  if (/^(?:\/bin\/)?(?:ba)?sh$/.test(parts[1] ?? '') && /^-l?c$/.test(parts[2] ?? '')) return wordsOf(parts[3] ?? '');
  return parts.slice(1);
}

function wordsOf(command: string): string[] | undefined {
  if (command.length > longestCommand) return undefined;
  const alone = command
    .trim()
    .replace(/\s*(?:\|\||;)\s*(?:exit\s+\d+|false|kill\s.*)\s*;?$/, '')
    .replace(/\s*(?:>\s*\/dev\/null(?:\s+2>&1)?|2?>&1)\s*$/g, '');
  if (/[|&;<>`]|\$\(/.test(alone.replace(/'[^']*'|"[^"]*"/g, (quotedPart) => quotedPart.replace(/[|&;<>]/g, '')))) {
    return undefined;
  }
  return splitWords(alone);
}

const localHosts = new Set(['localhost', '127.0.0.1', '0.0.0.0', '[::1]']);

/** Options that change nothing of what is asked. Those with a value are listed with it. */
const plainOptions = new Set(
  '-f --fail -s --silent -S --show-error -L --location -q --quiet --spider -I --head --no-verbose -nv --compressed -4'.split(
    ' ',
  ),
);
const valuedOptions = new Set(
  '-o --output -O --output-document -T --timeout -m --max-time -t --tries --connect-timeout --retry -Y --proxy'.split(
    ' ',
  ),
);

/** The address that curl or wget asks. curl without `-f` is content with a 404, so it is no such check. */
function readRequest(words: string[], names: readonly string[]): { path: string; port: number } | undefined {
  const program = words[0]?.replace(/^.*\//, '');
  if (program !== 'curl' && program !== 'wget') return undefined;
  let address: string | undefined;
  let fails = program === 'wget';
  for (let index = 1; index < words.length; index++) {
    const word = words[index]!;
    const option = word.replace(/=.*$/, '');
    if (/^(?:-[A-Za-z]*f[A-Za-z]*|--fail|--fail-with-body)$/.test(word)) fails = true;
    if (
      plainOptions.has(word) ||
      /^-[fsSLIqk4]{2,}$|^-qO-$|^-fsSLo$|^-nv$|^--fail-with-body$|^--no-check-certificate$/.test(word)
    ) {
      if (word === '-fsSLo') index++;
    } else if (/^-[fsSL]*o$|^-q?O$/.test(word)) {
      index++;
    } else if (valuedOptions.has(option)) {
      if (option === word) index++;
    } else if (word === '-O-' || word === '-O/dev/null' || /^-T\d+$|^-t\d+$|^-m\d+$/.test(word)) {
      // Their value is part of the word.
    } else if (word.startsWith('-') || address !== undefined) {
      return undefined;
    } else {
      address = word;
    }
  }
  if (address === undefined || !fails || address.includes('$')) return undefined;
  const url = URL.parse(/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`);
  if (url?.protocol !== 'http:' || url.username !== '') return undefined;
  if (!localHosts.has(url.hostname) && !names.includes(url.hostname)) return undefined;
  return { path: `${url.pathname}${url.search}`, port: Number(url.port || 80) };
}
