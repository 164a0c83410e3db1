/** The output of a running build: limited in size, split into lines, with its colors, and with secret values replaced. */
import { type BuildStep, readBuildStep } from '../deployment/build/build-steps.ts';
import { keepColors, withoutColors } from '../lib/terminal-colors.ts';

/** Enough for a build of a large application; of a longer output the beginning and the end stay. */
const maxChars = 512 * 1024;
const headChars = 64 * 1024;

/** Begins the line that names the image whose output follows. */
export const imageMark = '=== ';

export type BuildLog = {
  /** Adds output. A line such as `--- 12.3 s` is added after the output of each step. */
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

  function addLine(written: string): void {
    const line = keepColors(written);
    const next = readBuildStep(withoutColors(line));
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
    whole += `${withoutSecrets(line)}\n`;
    if (whole.length > maxChars)
      whole = `${whole.slice(0, headChars)}\n[…]\n${whole.slice(whole.length - maxChars + headChars + 64 * 1024)}`;
  }

  /** Removes secret values from a line. Colors inside a secret value are removed too. */
  function withoutSecrets(line: string): string {
    const mask = (text: string) => hidden.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
    const masked = mask(line);
    const plain = withoutColors(masked);
    return hidden.some((secret) => plain.includes(secret)) ? mask(plain) : masked;
  }

  return {
    add(text) {
      const lines = `${open}${text}`.split('\n');
      open = lines.pop()!.slice(-maxChars);
      for (const line of lines) addLine(line);
    },
    end: endStep,
    text: () => (open === '' ? whole : `${whole}${withoutSecrets(keepColors(open))}\n`),
    step: () => step,
  };
}
