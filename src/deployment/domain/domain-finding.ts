/** PURE. What was found in DNS of a custom domain: as values, made into words where they are shown. */
import type { Instant } from '../deployment.ts';

/** What one server said of the record that proves a name. `server`: its name, or `resolver`. */
export type ProofAnswer = { server: string } & (
  | { said: 'proof' }
  | { said: 'nothing' }
  /** `found`: the first of its records, cut; they are a stranger's words. */
  | { said: 'other'; found: string[]; count: number }
  | { said: 'failed'; because: string }
);

/** Where requests for the name go. */
export type Direction =
  | { kind: 'here' }
  /** `addresses`: those of the name that are not this service's. */
  | { kind: 'elsewhere'; addresses: string[] }
  | { kind: 'nowhere' }
  | { kind: 'unknown'; because: string };

export type Finding = {
  proof: ProofAnswer[];
  direction: Direction;
  /** The addresses of this service, as DNS has them; they are what an apex is to have. */
  wanted: string[];
  /** It was proven, while the name was another account's. */
  isTaken?: boolean;
  /** Since when servers say that the proof of a name that serves is not there; those that do not answer change nothing. */
  absentSince?: Instant;
};

export type ProofOutcome = 'found' | 'absent' | 'unanswered';

/** One server that has it is enough: the others have it soon. Who does not answer says nothing against it. */
export function proofOutcome(answers: readonly ProofAnswer[]): ProofOutcome {
  if (answers.some(({ said }) => said === 'proof')) return 'found';
  return answers.some(({ said }) => said !== 'failed') ? 'absent' : 'unanswered';
}

/** `isWhole`: both kinds, IPv4 and IPv6, could be looked up. */
export type Addresses = { found: readonly string[]; isWhole: boolean };

/** Of the name, and those of this service. One elsewhere is where visitors may go too. */
export function directionOf(led: Addresses, wanted: Addresses): Direction {
  const others = led.found.filter((address) => !wanted.found.includes(address));
  if (others.length === 0 && led.found.length > 0) return { kind: 'here' };
  if (others.length > 0 && wanted.isWhole) return { kind: 'elsewhere', addresses: others.slice(0, 4) };
  if (others.length > 0) return { kind: 'unknown', because: 'some addresses of this service could not be looked up' };
  if (!led.isWhole) return { kind: 'unknown', because: 'some of its addresses could not be looked up' };
  return { kind: 'nowhere' };
}
