/**
 * `healthcheck` → an HTTP check if the test requests a local address, else a command in the container. Without a test,
 * only the start period applies.
 */
import { quote } from '../diagnostics/diagnostics.ts';
import { childOf, type Field, itemsOf } from '../document/tree.ts';
import { boundTimes, commandProblem } from '../native/health-check.ts';
import type { CheckTimes, HealthCheck } from '../spec/spec.ts';
import { parseUrl } from '../values/patterns.ts';
import { splitWords } from '../values/shell-words.ts';
import { integerOf, isTrue, type Reading } from './compose-reader.ts';
import { readSeconds } from './service-scale.ts';

export function readHealthCheck(service: Field, names: readonly string[], reading: Reading): HealthCheck | undefined {
  const field = childOf(service, 'healthcheck');
  if (!field) return undefined;
  if (isTrue(reading, childOf(field, 'disable'))) return { disabled: true };
  const test = childOf(field, 'test');
  const command = test && readTest(test, reading);
  if (command === 'none') return { disabled: true };
  const requested = command && readRequest(commandWords(command) ?? [], names);
  const times = readTimes(field, requested ? (times) => times : boundTimes, reading);
  if (command) return { ...(requested ?? { command }), ...times };
  const { startPeriodSeconds } = times;
  return test || startPeriodSeconds === undefined ? undefined : { startPeriodSeconds };
}

type Bound = (
  times: Pick<CheckTimes, 'periodSeconds' | 'timeoutSeconds'>,
) => Pick<CheckTimes, 'periodSeconds' | 'timeoutSeconds'>;

function readTimes(field: Field, within: Bound, reading: Reading): CheckTimes {
  const { periodSeconds, timeoutSeconds } = within({
    // Docker's own defaults.
    periodSeconds: readSeconds(childOf(field, 'interval'), reading) ?? 30,
    timeoutSeconds: readSeconds(childOf(field, 'timeout'), reading) ?? 30,
  });
  const retries = integerOf(reading, childOf(field, 'retries'), 0) || 3;
  const startPeriodSeconds = readSeconds(childOf(field, 'start_period'), reading);
  return {
    initialDelaySeconds: 0,
    periodSeconds,
    timeoutSeconds,
    failureThreshold: Math.min(retries, 100),
    ...(startPeriodSeconds !== undefined && { startPeriodSeconds }),
  };
}

/** Returns the words of the command. A shell command is passed to a shell. Undefined if it cannot be read. */
function readTest(test: Field, reading: Reading): string[] | 'none' | undefined {
  const parts = itemsOf(test).map((item) => reading.text(item) ?? '');
  const [kind = '', ...words] = test.tree.kind === 'list' ? parts : ['CMD-SHELL', ...parts];
  if (kind === 'NONE') return 'none';
  if (kind !== 'CMD' && kind !== 'CMD-SHELL') {
    const hint = 'begin the list with CMD, CMD-SHELL or NONE, for example ["CMD", "pg_isready"]';
    reading.error(test, 'healthcheck', `${quote(kind)} is not a valid kind of test`, hint);
    return undefined;
  }
  const command = kind === 'CMD' ? words : words[0]?.trim() ? ['/bin/sh', '-c', words[0]] : [];
  const problem = commandProblem(command);
  if (!problem) return command;
  reading.error(test, 'healthcheck', `the test ${problem.message}`, problem.hint);
  return undefined;
}

/** A plain request of a local address is shorter. */
const longestCommand = 500;

/** The words of a command, even in shell form if it needs no shell. Undefined if only a shell can interpret it. */
function commandWords(command: string[]): string[] | undefined {
  if (command.reduce((sum, word) => sum + word.length, 0) > longestCommand) return undefined;
  const isForShell = /^(?:\/bin\/)?(?:ba)?sh$/.test(command[0] ?? '') && /^-l?c$/.test(command[1] ?? '');
  return isForShell ? wordsOfScript(command[2] ?? '') : command;
}

function wordsOfScript(script: string): string[] | undefined {
  if (script.length > longestCommand) return undefined;
  const alone = script
    .trim()
    .replace(/\s*(?:\|\||;)\s*(?:exit\s+\d+|false|kill\s.*)\s*;?$/, '')
    .replace(/\s*(?:>\s*\/dev\/null(?:\s+2>&1)?|2?>&1)\s*$/g, '');
  if (/[|&;<>`]|\$\(/.test(alone.replace(/'[^']*'|"[^"]*"/g, (quotedPart) => quotedPart.replace(/[|&;<>]/g, '')))) {
    return undefined;
  }
  return splitWords(alone);
}

const localHosts = new Set(['localhost', '127.0.0.1', '0.0.0.0', '[::1]']);

/** Options that do not change the request. Those with a value are listed with it. */
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

/** The address that curl or wget requests. curl without `-f` accepts a 404, so it is not an equivalent check. */
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
  const url = parseUrl(/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`);
  if (url?.protocol !== 'http:' || url.username !== '') return undefined;
  if (!localHosts.has(url.hostname) && !names.includes(url.hostname)) return undefined;
  return { path: `${url.pathname}${url.search}`, port: Number(url.port || 80) };
}
