/** Reads the texts of a project. An unreadable one is refused, always with the same messages. */
import { quote } from 'shlex';
import type { Findings } from './findings.ts';
import { type FolderFiles, shownPath } from './folder-files.ts';

export type ReadingText = {
  files: FolderFiles;
  findings: Findings;
  maxBytes: number;
  /** The place of the path in a file. Undefined if no file names it. */
  at?: number | undefined;
  /** Whether the file may be missing. */
  isOptional?: boolean;
};

/** Undefined when it is not there, or may not be read, which is refused. */
export function readText(
  path: string,
  { files, findings, maxBytes, at, isOptional = false }: ReadingText,
): string | undefined {
  const shown = shownPath(files, path);
  const { kind } = files.look(path);
  if (kind === 'outside') refuseOutside(path, files, findings, at);
  else if (kind !== 'file' && !isOptional) findings.refuse('missing-file', `the file ${shown} is not there`, at);
  if (kind !== 'file') return undefined;
  const text = files.read(path, maxBytes)?.toString('utf8');
  if (text === undefined) {
    const message = `the file ${shown} cannot be read, or is larger than ${maxBytes / 1024} KiB`;
    findings.refuse('unreadable-file', message, at);
  }
  return text;
}

export function refuseOutside(path: string, files: FolderFiles, findings: Findings, at: number | undefined): void {
  const entry = files.look(path);
  const leads = entry.kind === 'outside' && entry.to !== undefined ? `, which leads to ${entry.to},` : '';
  // The author of a link chose its target, so the hint does not suggest allowing that target.
  const allowing = leads === '' ? `--allow ${quote(path)} allows it` : 'name its folder with --allow';
  findings.refuse(
    'outside-folder',
    `${shownPath(files, path)}${leads} is outside of the folder`,
    at,
    `files outside of the folder are not read by default: ${allowing}; or run the command in a folder above both`,
  );
}
