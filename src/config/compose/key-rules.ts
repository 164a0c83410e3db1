/** Keys of a service that are accepted, ignored or refused by their value alone; `key-table.ts` has the table. */

import { listOf, quote, type TextEdit } from '../diagnostics/diagnostics.ts';
import { nearestName } from '../diagnostics/suggest.ts';
import { entriesOf, entryOf, type Field, isEmpty, itemsOf } from '../document/tree.ts';
import { isTrue, keyOf, type Reading } from './compose-reader.ts';
import { type Key, serviceKeys, topLevelKeys } from './key-table.ts';

/** Reports every key of a service that the mapping does not support. */
export function applyServiceRules(service: Field, reading: Reading): void {
  const apply = keyRule(service, serviceKeys, 'a service', reading);
  for (const [key, field] of entriesOf(service)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule) rule(field, reading);
    else apply(key, field);
  }
}

export function applyTopLevelRules(document: Field, reading: Reading): void {
  const apply = keyRule(document, topLevelKeys, 'a Compose file', reading);
  for (const [key, field] of entriesOf(document)) apply(key, field);
}

function keyRule(map: Field, table: Record<string, Key>, of: string, reading: Reading) {
  return (key: string, field: Field): void => {
    const known = Object.hasOwn(table, key) ? table[key] : undefined;
    if (known?.outcome === 'refused') {
      reading.error(keyOf(field), 'unsupported', `"${key}" is not supported`, known.says);
    } else if (known?.outcome === 'ignored') {
      ignore(keyOf(field), reading, key, known.says);
    } else if (!known && !key.startsWith('x-')) {
      const guess = nearestName(key, Object.keys(table));
      const hint = guess ? `did you mean "${guess}"?` : undefined;
      const message = `"${key}" is not a key of ${of} and is ignored`;
      const isUseful = guess && table[guess]!.outcome === 'honoured';
      reading.warn(keyOf(field), 'unknown-field', message, hint, isUseful ? renamed(map, field, guess) : undefined);
    }
  };
}

/** The edit that renames a key; undefined if its map has the new key already. */
export function renamed(map: Field, { key }: Field, name: string): TextEdit | undefined {
  return key && !entryOf(map, name) ? { from: key.at, to: key.to, text: name } : undefined;
}

type Rule = (field: Field, reading: Reading) => void;

const unsupported = (field: Field, reading: Reading, what: string, instead: string) =>
  reading.error(keyOf(field), 'unsupported', `${what} cannot be honoured on a shared host`, instead);

/** Reports one warning for all keys without an effect, with a reason for each. */
export function ignore(field: Field, reading: Reading, about: string, why: string): void {
  reading.gather(field, 'ignored', 'document', about, ignoredWords, why);
}

function ignoredWords(keys: readonly string[], reasons: readonly string[]): { message: string; hint: string } {
  if (keys.length === 1) return { message: `"${keys[0]}" is ignored`, hint: reasons[0]! };
  const list = listOf(keys.map((key) => `"${key}"`));
  const why = keys.slice(0, 5).map((key, index) => `${key}: ${reasons[index]}`);
  return { message: `${list} are ignored`, hint: `${why.join('; ')}${keys.length > 5 ? '; …' : ''}` };
}

/** A flag of the host that may only be off. */
const onlyOff =
  (key: string, instead: string): Rule =>
  (field, reading) => {
    if (isTrue(reading, field)) unsupported(field, reading, `"${key}: true"`, instead);
  };

/** A namespace may be the container's own, but not the host's or another container's. */
const onlyOwn =
  (key: string): Rule =>
  (field, reading) => {
    const value = isEmpty(field) ? '' : (reading.text(field) ?? '');
    if (value === 'host' || /^(?:service|container):/.test(value)) {
      unsupported(field, reading, `"${key}: ${value}"`, 'remove it: every service has its own');
    }
  };

const rules: Record<string, Rule> = {
  privileged: onlyOff('privileged', 'remove it: containers run without privileges'),
  use_api_socket: onlyOff('use_api_socket', "remove it: services cannot access the engine's socket"),
  pid: onlyOwn('pid'),
  ipc: onlyOwn('ipc'),
  uts: onlyOwn('uts'),
  cgroup: onlyOwn('cgroup'),
  userns_mode: onlyOwn('userns_mode'),

  network_mode(field, reading) {
    const value = isEmpty(field) ? '' : (reading.text(field) ?? '');
    if (value === '' || value === 'bridge' || value === 'default') return;
    const instead =
      value === 'host'
        ? 'remove it, and list the ports under ports:; services reach each other by their names'
        : value === 'none'
          ? 'remove it: every service is in the network of its application'
          : 'remove it: services reach each other by their names';
    unsupported(field, reading, `"network_mode: ${value}"`, instead);
  },

  cap_add(field, reading) {
    for (const item of itemsOf(field)) {
      const name = (reading.text(item) ?? '').toUpperCase().replace(/^CAP_/, '');
      if (given.has(name)) continue;
      if (ofTheHost.has(name)) {
        const instead = 'remove it, and use an image or an option that does not need it';
        reading.error(item, 'unsupported', `the capability ${name} cannot be honoured on a shared host`, instead);
      } else {
        ignore(item, reading, `cap_add: ${name}`, 'most images run without this capability');
      }
    }
  },

  platform(field, reading) {
    const value = isEmpty(field) ? '' : (reading.text(field) ?? '');
    const system = value.split('/')[0]!;
    if (value !== '' && system !== 'linux' && value.includes('/')) {
      unsupported(field, reading, `the platform ${quote(value)}`, 'use an image for linux');
    } else if (value !== '' && value !== 'linux/amd64') {
      ignore(field, reading, 'platform', 'the image must have a variant for the processors of the host');
    }
  },

  runtime(field, reading) {
    const value = isEmpty(field) ? '' : (reading.text(field) ?? '');
    if (/^(?:|nvidia|runc)$/.test(value)) return;
    if (value.includes('wasm')) unsupported(field, reading, `the runtime ${quote(value)}`, 'use an image for linux');
    else ignore(field, reading, 'runtime', 'the runtime is chosen by the operator');
  },

  models(field, reading) {
    if (isEmpty(field)) return;
    unsupported(field, reading, '"models"', serviceKeys.models!.says);
  },

  oom_kill_disable(field, reading) {
    if (isTrue(reading, field)) ignore(keyOf(field), reading, 'oom_kill_disable', serviceKeys.oom_kill_disable!.says);
  },
};

/** Capabilities of every container, see docs/explanation/security-model.md. */
const given = new Set(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID', 'NET_BIND_SERVICE', 'KILL']);

/** Containers with these capabilities control the host, or can read other containers. */
const ofTheHost = new Set(['ALL', 'SYS_ADMIN', 'SYS_MODULE', 'SYS_RAWIO', 'SYS_BOOT', 'BPF', 'DAC_READ_SEARCH']);
