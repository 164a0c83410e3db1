/** The setting of what those may have who have no account. */
import type { StrangerLimits } from '../deployment/stranger.ts';
import { integer, size, Unreadable } from './values.ts';

/** What applies without the setting. */
export const defaultStrangersText = 'session=10 address=20 memory=8Gi';

/** `session=10 address=20 memory=8Gi`, all three in any order. */
export function strangers(value: string): StrangerLimits {
  const fields = new Map(
    value
      .trim()
      .split(/\s+/)
      .map((word) => word.split('=') as [string, string]),
  );
  const read = <T>(key: string, reader: (text: string) => T): T => {
    const given = fields.get(key);
    if (!given || fields.size !== 3) throw new Unreadable(`must be such as "${defaultStrangersText}"`);
    return reader(given);
  };
  return {
    perSession: read('session', integer(0, 100_000)),
    perAddress: read('address', integer(0, 100_000)),
    memoryBytesPerAddress: read('memory', size),
  };
}
