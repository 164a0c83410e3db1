/** What can be asked of the benchmark on its command line. */
import { parseArgs } from 'node:util';

export type Options = {
  rounds: number;
  /** Rounds before those that count: the first start after a pause is slower for everybody. */
  warmUps: number;
  /** Requests for each row of the latencies. */
  requests: number;
  isSmoke: boolean;
};

const defaults = { rounds: 5, requests: 100 };
const smoke = { rounds: 1, warmUps: 0, requests: 10 };

export const help = `Measures Berth on this machine, against Docker Compose.

  npm run bench                      ${defaults.rounds} rounds, after one that does not count (about 4 minutes)
  npm run bench -- --rounds N        N rounds
  npm run bench -- --smoke           one round and few requests, in less than a minute; needs no Compose

It brings what is missing (the engine, HAProxy, the images, Compose from a Debian package in a cache directory of its
own), runs a service of its own at a free port, and removes all that it made.
`;

/** Throws an Error with words for the caller. */
export function readOptions(argv: string[]): Options | 'help' {
  const { values } = parseArgs({
    args: argv,
    options: {
      help: { type: 'boolean', short: 'h' },
      smoke: { type: 'boolean' },
      rounds: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  const isSmoke = values.smoke ?? false;
  const chosen = isSmoke ? smoke : { ...defaults, warmUps: 1 };
  if (values.rounds === undefined) return { ...chosen, isSmoke };
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100)
    throw new Error('--rounds must be a number from 1 to 100');
  return { ...chosen, rounds, isSmoke };
}
