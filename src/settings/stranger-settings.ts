/** Limits of users without an account. */
import type { StrangerLimits } from '../deployment/limits/stranger-limits.ts';
import { readCaps, strangerCapFields } from './count-settings.ts';
import { pullFields, readPulls } from './pull-settings.ts';
import { integer, oneOf, size, Unreadable } from './setting-values.ts';

/** The default. */
export const defaultStrangersText = 'session=10 address=20 memory=8Gi';

/** `session=10 address=20 memory=8Gi volumes=100`: the first three in any order, `images=5Gi`, `exec=yes`, and any of `strangerCapFields` and `pullFields`. */
export function strangers(value: string): StrangerLimits {
  const fields = new Map(
    value
      .trim()
      .split(/\s+/)
      .map((word) => word.split('=') as [string, string]),
  );
  const read = <T>(key: string, reader: (text: string) => T): T => {
    const given = fields.get(key);
    if (!given) throw new Unreadable(form);
    return reader(given);
  };
  const known = [
    'session',
    'address',
    'memory',
    'images',
    'exec',
    ...Object.keys(strangerCapFields),
    ...Object.keys(pullFields),
  ];
  if ([...fields].some(([key, given]) => !known.includes(key) || !given)) throw new Unreadable(form);
  const caps = readCaps(strangerCapFields, fields);
  const pulls = readPulls(fields);
  return {
    perSession: read('session', integer(0, 100_000)),
    perAddress: read('address', integer(0, 100_000)),
    memoryBytesPerAddress: read('memory', size),
    ...(fields.has('exec') && { allowsExec: read('exec', oneOf('yes', 'no')) === 'yes' }),
    ...(fields.has('images') && { imageBytes: read('images', size) }),
    ...(caps && { caps }),
    ...(pulls && { pulls }),
  };
}

const form =
  `must be such as "${defaultStrangersText}", ` +
  `with optional fields: images, image-size and image-unpacked (5Gi); pulls, ${Object.keys(strangerCapFields).join(', ')} as name=number; and exec=yes`;
