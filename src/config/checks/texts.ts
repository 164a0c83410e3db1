/** The texts of a pod that can hold scriptlets, variables and names of other pods, with their places. */
import type { Path } from '../diagnostics.ts';
import type { PodContext } from './context.ts';

export type Text = {
  value: string;
  path: Path;
  /** The variable whose value it is. */
  variable?: string;
  /** `content` is a file's: a program or template, in which much has a meaning of its own. */
  kind: 'value' | 'command' | 'content';
  /** Puts another text in its place. */
  set(value: string): void;
};

export function textsOf({ pod, index, path, origin }: PodContext): Text[] {
  const variables = Object.keys(pod.vars).map(
    (variable): Text => ({
      value: pod.vars[variable]!,
      path: origin.variable(index, variable),
      variable,
      kind: 'value',
      set: (value) => {
        pod.vars[variable] = value;
      },
    }),
  );
  const commands = (['entrypoint', 'command'] as const).flatMap((field) =>
    (pod[field] ?? []).map(
      (word, position): Text => ({
        value: word,
        path: [...path, field],
        kind: 'command',
        set: (value) => {
          pod[field]![position] = value;
        },
      }),
    ),
  );
  const files = pod.files.map(
    (file, position): Text => ({
      value: file.content,
      path: origin.file(index, position),
      kind: file.isSecret && !file.content.includes('\n') ? 'value' : 'content',
      set: (value) => {
        file.content = value;
      },
    }),
  );
  return [...variables, ...commands, ...files];
}
