/** Looking for a planted text wherever it may have left a trace, in clear and in the encodings in which it travels. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A place with its content, byte for byte. */
export type Place = { place: string; bytes: Buffer };

/** Which of the texts (by their names) stand in which place, in any form: `<name> as <form> in <place>`. */
export function findTraces(planted: Record<string, string>, places: readonly Place[]): string[] {
  return Object.entries(planted).flatMap(([name, text]) =>
    formsOf(text).flatMap(({ form, bytes }) =>
      places.filter((each) => each.bytes.includes(bytes)).map(({ place }) => `${name} as ${form} in ${place}`),
    ),
  );
}

/** As it is; encoded for an address or as JSON; as hexadecimal digits; in base64, wherever in a longer text it begins. */
export function formsOf(text: string): { form: string; bytes: Buffer }[] {
  const raw = Buffer.from(text);
  const hex = raw.toString('hex');
  const encoded = encodeURIComponent(text);
  const texts = new Map([
    ['it is', text],
    ['UTF-16', raw.toString('latin1')],
    ['a part of an address', encoded],
    ['a part of an address in small letters', encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
    ['a field of a form', new URLSearchParams({ x: text }).toString().slice(2)],
    ['JSON', JSON.stringify(text).slice(1, -1)],
    ['hexadecimal', hex],
    ['HEXADECIMAL', hex.toUpperCase()],
    ...[0, 1, 2].flatMap((offset): [string, string][] => {
      const base64 = certainPart(raw, offset);
      return [
        [`base64 after ${offset}`, base64],
        [`base64url after ${offset}`, base64.replaceAll('+', '-').replaceAll('/', '_')],
      ];
    }),
  ]);
  return [...texts].map(([form, each]) => ({ form, bytes: Buffer.from(each, form === 'UTF-16' ? 'utf16le' : 'utf8') }));
}

/** The letters of base64 that stand for nothing but these bytes, when so many others (of each three) are before them. */
function certainPart(bytes: Buffer, offset: number): string {
  const before = Buffer.alloc(offset);
  const certain = Math.floor(((offset + bytes.length) * 4) / 3);
  return Buffer.concat([before, bytes])
    .toString('base64')
    .slice(Math.ceil((offset * 4) / 3), certain);
}

/** Every file below a folder, by its path in it. Sockets and what has just gone are left out. */
export async function filesIn(folder: string): Promise<Place[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const places = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      return { place: path.slice(folder.length + 1), bytes };
    });
  return await Promise.all(places);
}

export type Process = { pid: number; words: Buffer; environment: Buffer; cgroup: string; executable: string };

/** The running processes, as root sees them. */
export async function processes(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`).catch(() => Buffer.alloc(0));
      // Both before and after: a process that becomes a pod in between counts as one.
      const before = await read('cgroup');
      const [words, environment, after] = [await read('cmdline'), await read('environ'), await read('cgroup')];
      const executable = await readlink(`/proc/${pid}/exe`).catch(() => '');
      // The owner of a process that has ended in between is unknown.
      const isThere = after.length > 0;
      const none = Buffer.alloc(0);
      return { pid, words, environment: isThere ? environment : none, cgroup: `${before}${after}`, executable };
    }),
  );
}

/** Notes the words of every process that is there, several times a second, until `end`, which may be called twice. */
export function watchProcessList(): { end: () => Promise<Place> } {
  const seen = new Set<string>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const { words } of await processes()) seen.add(words.toString('latin1'));
      await delay(100);
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return { place: 'the process list', bytes: Buffer.from([...seen].join('\n'), 'latin1') };
    },
  };
}
