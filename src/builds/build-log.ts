/** The output of a running build: limited in size, split into lines, with secret values replaced. */
import { stripVTControlCharacters } from 'node:util';
import { type BuildStep, readBuildStep } from '../deployment/build/build-steps.ts';

/** Enough for a build of a large application; of a longer output the beginning and the end stay. */
const mostChars = 512 * 1024;
const headChars = 64 * 1024;

const unprintable = /(?![\t\n])\p{Cc}/gu;

export type BuildLog = {
  add(text: string): void;
  text(): string;
  /** The step that the build is at. */
  step(): BuildStep | undefined;
};

/** `secrets`: values that are replaced by `***`. */
export function openBuildLog(secrets: readonly string[]): BuildLog {
  const hidden = secrets.filter((secret) => secret.length >= 6).toSorted((a, b) => b.length - a.length);
  let whole = '';
  let open = '';
  let step: BuildStep | undefined;

  function addLine(line: string): void {
    step = readBuildStep(line) ?? step;
    whole += `${hidden.reduce((text, secret) => text.replaceAll(secret, '***'), line)}\n`;
    if (whole.length > mostChars)
      whole = `${whole.slice(0, headChars)}\n[…]\n${whole.slice(whole.length - mostChars + headChars + 64 * 1024)}`;
  }

  return {
    add(text) {
      const lines = `${open}${printable(text)}`.split('\n');
      open = lines.pop()!.slice(-mostChars);
      for (const line of lines) addLine(line);
    },
    text: () =>
      open === '' ? whole : `${whole}${hidden.reduce((text, secret) => text.replaceAll(secret, '***'), open)}\n`,
    step: () => step,
  };
}

function printable(text: string): string {
  return stripVTControlCharacters(text).toWellFormed().replaceAll('\r\n', '\n').replaceAll(unprintable, '');
}
