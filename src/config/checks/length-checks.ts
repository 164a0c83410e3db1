/** Arguments and variables that no program can be started with: looked at when `${NAME}` has been replaced. */
import type { Path } from '../diagnostics/diagnostics.ts';
import type { Report } from '../diagnostics/report.ts';
import type { Origin } from '../native/normalise.ts';
import type { AppSpec } from '../spec/spec.ts';
import { scriptletsIn } from '../variables/scriptlets.ts';
import { commandsOf } from './text-checks.ts';

/** The length limit of `NAME=value` on Linux: MAX_ARG_STRLEN, 32 pages of 4 KiB, minus the byte that ends the text. */
const longestBytes = 128 * 1024 - 1;
/** Maximum length of an expanded scriptlet: a scheme, a host of 253 characters, a port. */
const longestScriptlet = 270;

export function checkLengths({ pods }: AppSpec, origin: Origin, report: Report): void {
  const check = (path: Path, text: string, code: 'argument-too-long' | 'bad-var-value', hint: string) => {
    // Each UTF-16 unit has at most three bytes, so short texts need not be measured.
    if (text.length * 3 <= longestBytes && !text.includes('<%')) return;
    const scriptlets = scriptletsIn(text).filter(({ scriptlet }) => scriptlet).length;
    const bytes = new TextEncoder().encode(text).length + scriptlets * longestScriptlet;
    if (bytes <= longestBytes || report.isBroken(path)) return;
    report.error(path, code, 'is longer than 128 KiB, which no program accepts', { hint });
  };
  pods.forEach((pod, index) => {
    for (const { words, at } of commandsOf(pod)) {
      const path = [...origin.pod(index), ...at];
      for (const word of words)
        check(path, word, 'argument-too-long', 'write it as a file below "files", and name the file');
    }
    for (const [name, value] of Object.entries(pod.vars))
      check(origin.variable(index, name), `${name}=${value}`, 'bad-var-value', 'write it as a file, below "files"');
  });
}
