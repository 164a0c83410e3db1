/** Checks commands that a container would not run as intended. */
import { type Path, quote } from '../diagnostics/diagnostics.ts';
import { replaceWithYaml } from '../document/edits.ts';
import { entrypointOf } from '../software/software.ts';
import { isShell, runsInShell, shellSyntaxIn } from '../values/shell-words.ts';
import type { PodContext } from './context.ts';

export function checkCommand({ pod, path, report, source }: PodContext): void {
  const { command, entrypoint } = pod;
  const [first] = command ?? [];
  if (!command || first === undefined) return;
  const at = [...path, 'command'];
  const program = entrypoint === undefined ? entrypointOf(pod.image) : undefined;

  if (program !== undefined && baseName(first) === baseName(program)) {
    const [, ...rest] = command;
    report.warn(at, 'repeated-entrypoint', `the image starts "${program}" itself: "${program} ${first} …" is run`, {
      hint: rest.length > 0 ? `begin the command with ${quote(rest[0]!)}` : 'leave the command out',
    });
    return;
  }
  if (program !== undefined && isShell(first)) {
    report.warn(at, 'repeated-entrypoint', `the image starts "${program}" itself: "${program} ${first} …" is run`, {
      hint: `write "entrypoint: ${first}", and the command without it`,
    });
    return;
  }
  if (entrypoint?.length === 1 && baseName(entrypoint[0]!) === baseName(first) && !isShell(first)) {
    const message = `the entrypoint is ${quote(first)} already: "${first} ${first} …" is run`;
    report.warn(at, 'repeated-entrypoint', message, { hint: 'remove the first word of the command' });
    return;
  }
  if (runsInShell(entrypoint, command)) return;
  checkSyntax(command, at, entrypoint === undefined && program === undefined, { report, source });
}

/** The program of a health check has no entrypoint before it. */
export function checkHealthCommand({ pod: { healthCheck }, path, report, source }: PodContext): void {
  if (!healthCheck || !('command' in healthCheck) || runsInShell(undefined, healthCheck.command)) return;
  checkSyntax(healthCheck.command, [...path, 'healthCheck', 'command'], true, { report, source });
}

function checkSyntax(
  command: readonly string[],
  at: Path,
  isWhole: boolean,
  { report, source }: Pick<PodContext, 'report' | 'source'>,
): void {
  const syntax = shellSyntaxIn(command);
  if (syntax === undefined) return;
  const text = source.textOf(at);
  const isVariable = syntax.startsWith('$') && syntax !== '$(';
  const script = text?.trim().replaceAll("'", "''");
  const canWrap = isWhole && script !== undefined && !script.includes('\n');
  report.warn(
    at,
    'shell-syntax',
    `"${syntax}" is passed to the program unchanged: the command does not run in a shell`,
    {
      hint: isVariable ? `write \${${syntax.slice(1)}}, or [sh, -c, '…']` : "write [sh, -c, '…']",
      fix: canWrap ? replaceWithYaml(source, at, `[sh, -c, '${script}']`) : undefined,
    },
  );
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
