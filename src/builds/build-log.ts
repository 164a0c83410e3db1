/** The output of a running build: limited in size, split into lines, with secret values replaced. */
import { stripVTControlCharacters } from 'node:util';
import { type BuildStep, readBuildStep } from '../deployment/build/build-steps.ts';

/** Enough for a build of a large application; of a longer output the beginning and the end stay. */
const maxChars = 512 * 1024;
const headChars = 64 * 1024;

/** Begins the line that names the image whose output follows. */
export const imageMark = '=== ';

const unprintable = /(?![\t\n])\p{Cc}/gu;

export type BuildLog = {
  /** A line such as `--- 12.3 s` is added behind the output of each step. */
  add(text: string): void;
  /** Adds the duration of the last step. */
  end(): void;
  text(): string;
  /** The step that the build is at. */
  step(): BuildStep | undefined;
};

/** `secrets`: values that are replaced by `***`. `clock`: milliseconds of a clock that is never set. */
export function openBuildLog(secrets: readonly string[], clock: () => number = () => performance.now()): BuildLog {
  const hidden = secrets.filter((secret) => secret.length >= 6).toSorted((a, b) => b.length - a.length);
  let whole = '';
  let open = '';
  let step: BuildStep | undefined;
  let stepBegunAt: number | undefined;

  function addLine(line: string): void {
    const next = readBuildStep(line);
    if (next || line.startsWith(imageMark)) endStep();
    if (next) {
      step = next;
      stepBegunAt = clock();
    }
    append(line);
  }

  function endStep(): void {
    if (stepBegunAt !== undefined) append(`--- ${((clock() - stepBegunAt) / 1000).toFixed(1)} s`);
    stepBegunAt = undefined;
  }

  function append(line: string): void {
    whole += `${hidden.reduce((text, secret) => text.replaceAll(secret, '***'), line)}\n`;
    if (whole.length > maxChars)
      whole = `${whole.slice(0, headChars)}\n[…]\n${whole.slice(whole.length - maxChars + headChars + 64 * 1024)}`;
  }

  return {
    add(text) {
      const lines = `${open}${printable(text)}`.split('\n');
      open = lines.pop()!.slice(-maxChars);
      for (const line of lines) addLine(line);
    },
    end: endStep,
    text: () =>
      open === '' ? whole : `${whole}${hidden.reduce((text, secret) => text.replaceAll(secret, '***'), open)}\n`,
    step: () => step,
  };
}

function printable(text: string): string {
  return stripVTControlCharacters(text).toWellFormed().replaceAll('\r\n', '\n').replaceAll(unprintable, '');
}
