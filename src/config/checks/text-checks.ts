/** Finds the texts of a pod that may contain scriptlets, variables and names of other pods, with their places. */
import type { Path } from '../diagnostics/diagnostics.ts';
import type { PodSpec } from '../spec/spec.ts';
import type { PodContext } from './context.ts';

export type Text = {
  value: string;
  path: Path;
  /** The variable whose value it is. */
  variable?: string;
  /** `content`: the content of a file, such as a program or template, which has its own syntax. */
  kind: 'value' | 'command' | 'content';
  /** Replaces the text. */
  set(value: string): void;
};

export function textsOf({ pod, index, path, origin, source }: PodContext): Text[] {
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
  const commands = commandsOf(pod).flatMap(({ words, at }) =>
    words.map(
      (word, position): Text => ({
        value: word,
        // A text is split into words. The words have no places of their own.
        path: source.textOf([...path, ...at]) === undefined ? [...path, ...at, position] : [...path, ...at],
        kind: 'command',
        set: (value) => {
          words[position] = value;
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

/** The commands of a pod, with their places in it. */
export function commandsOf({ entrypoint = [], command = [], healthCheck }: PodSpec): { words: string[]; at: Path }[] {
  const check = healthCheck && 'command' in healthCheck ? healthCheck.command : [];
  return [
    { words: entrypoint, at: ['entrypoint'] },
    { words: command, at: ['command'] },
    { words: check, at: ['healthCheck', 'command'] },
  ];
}
