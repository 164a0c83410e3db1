/** The input of the rules in this folder. */

import type { Path } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import type { Source } from '../document/source.ts';
import type { Origin } from '../native/normalise.ts';
import type { AddressBook } from '../spec/pod-addresses.ts';
import type { AppSpec, PodSpec } from '../spec/spec.ts';
import type { Directory } from '../spec/uses.ts';

export type Context = {
  /** The spec as written: `${NAME}` is not replaced yet. */
  spec: AppSpec;
  origin: Origin;
  source: Source;
  report: Report;
  /** Every name that resolves inside the deployment, with the pod it leads to. */
  book: AddressBook;
  directory: Directory;
};

export type PodContext = Context & { pod: PodSpec; index: number; path: Path };

/** A repeated value with the position of the first one that is equal. */
export function repeated<T>(values: readonly T[]): { value: T; index: number; first: number }[] {
  const firsts = new Map<T, number>();
  return values.flatMap((value, index) => {
    const first = firsts.get(value);
    if (first === undefined) firsts.set(value, index);
    return first === undefined ? [] : [{ value, index, first }];
  });
}
