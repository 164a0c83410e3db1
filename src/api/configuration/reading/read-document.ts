/** PURE. Parses untrusted documents, on the main thread or a worker thread. */
import { fixDocument } from '../../../config/fix.ts';
import { type Judging, parseConfiguration } from '../../../config/parse.ts';
import type { AppSpec } from '../../../config/spec/spec.ts';
import { beyond, type Maximum, type Present } from '../../../deployment/limits/deployment-maximum.ts';
import { atPods, type MissingImage } from '../../../deployment/limits/missing-images.ts';
import { unwrapJson } from './unwrap.ts';

/** The limits of a configuration, and the present amounts if it is an update. */
export type Bounds = { max: Maximum; present?: Present | undefined };

type Asked = { text: string; isStrict?: boolean; bounds?: Bounds; missing?: MissingImage[] };

/** Arguments and results are plain data, because they cross threads. */
const readings = {
  unwrap: ({ text }: { text: string }) => unwrapJson(text),
  parse: (asked: Asked) => parseConfiguration(asked.text, judgingOf(asked)),
  correct(asked: Asked) {
    const judging = judgingOf(asked);
    const parsed = parseConfiguration(asked.text, judging);
    return { parsed, fixed: fixDocument(asked.text, parsed, judging) };
  },
};

type Readings = typeof readings;
export type Kind = keyof Readings;
export type AskedOf<K extends Kind> = Parameters<Readings[K]>[0];
export type AnswerOf<K extends Kind> = ReturnType<Readings[K]>;

export type Question<K extends Kind = Kind> = { kind: K; asked: AskedOf<K> };

export function read<K extends Kind>({ kind, asked }: Question<K>): AnswerOf<K> {
  return (readings[kind] as (asked: AskedOf<K>) => AnswerOf<K>)(asked);
}

function judgingOf({ isStrict = false, bounds, missing = [] }: Asked): Judging {
  const tooMuch = (spec: AppSpec) => (bounds ? beyond(spec, bounds.max, bounds.present) : []);
  return { isStrict, judge: (spec) => [...tooMuch(spec), ...atPods(spec, missing)] };
}
