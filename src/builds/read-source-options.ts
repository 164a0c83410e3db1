/** Takes the options out of a source before the build, so that their values do not get into an image. */
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/v4';
import type { Finding } from '../folder/project.ts';
import { optionsPath, type SourceOptions } from '../folder/source-options.ts';

const maxBytes = 1024 * 1024;

const names = z.array(z.string().max(1_024)).max(100);
const schema = z.strictObject({
  values: z.record(z.string().max(256), z.string()).optional(),
  files: names.optional(),
  envFiles: names.optional(),
  without: names.optional(),
  profiles: names.optional(),
  name: z.string().max(64).optional(),
});

/** Reads the options of the source in `root`, and removes their folder. Options that cannot be read are a finding. */
export function takeSourceOptions(root: string): { options: SourceOptions } | { refusal: Finding } {
  const text = readPlainFile(join(root, optionsPath));
  rmSync(join(root, '.berth'), { recursive: true, force: true });
  if (text === undefined) return { options: {} };
  const read = schema.safeParse(parsed(text));
  if (read.success) return { options: read.data as SourceOptions };
  const [issue] = read.error.issues;
  const place = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  return {
    refusal: {
      code: 'bad-options',
      message: `${optionsPath} cannot be read: ${place}${issue?.message ?? 'it is not an object'}.`,
      hint: 'Remove it, or write it as the guide "Deploy source code" describes.',
    },
  };
}

/** Undefined for a missing or large file, and for a symbolic link. */
function readPlainFile(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(descriptor);
    return size <= maxBytes ? readFileSync(descriptor, 'utf8') : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
