/** PURE. The DNS findings of a custom domain, as values. */
import type { Instant } from '../deployment.ts';

/** The response of one server about the record that proves a name. `server`: its name, or `resolver`. */
export type ProofAnswer = { server: string } & (
  | { said: 'proof' }
  | { said: 'nothing' }
  /** `found`: the first of its records, truncated. Hostile input. */
  | { said: 'other'; found: string[]; count: number }
  | { said: 'failed'; because: string }
);

/** Where requests to the name go. */
export type Direction =
  | { kind: 'here' }
  /** `addresses`: addresses of the name that do not belong to this service. */
  | { kind: 'elsewhere'; addresses: string[] }
  | { kind: 'nowhere' }
  | { kind: 'unknown'; because: string };

export type Finding = {
  proof: ProofAnswer[];
  direction: Direction;
  /** The addresses of this service in DNS, which an apex domain needs. */
  wanted: string[];
  /** The proof was found, but the name belongs to another account. */
  isTaken?: boolean;
  /** Since when servers report that the proof of a serving name is missing. Unresponsive servers do not count. */
  absentSince?: Instant;
};

export type ProofOutcome = 'found' | 'absent' | 'unanswered';

/** One server with the record is enough, because the others have it soon. Unresponsive servers do not count. */
export function proofOutcome(answers: readonly ProofAnswer[]): ProofOutcome {
  if (answers.some(({ said }) => said === 'proof')) return 'found';
  return answers.some(({ said }) => said !== 'failed') ? 'absent' : 'unanswered';
}

/** `isWhole`: both lookups, IPv4 and IPv6, succeeded. */
export type Addresses = { found: readonly string[]; isWhole: boolean };

/** Compares the addresses of the name with those of this service. Visitors may reach any other address too. */
export function directionOf(led: Addresses, wanted: Addresses): Direction {
  const others = led.found.filter((address) => !wanted.found.includes(address));
  if (others.length === 0 && led.found.length > 0) return { kind: 'here' };
  if (others.length > 0 && wanted.isWhole) return { kind: 'elsewhere', addresses: others.slice(0, 4) };
  if (others.length > 0) return { kind: 'unknown', because: 'some addresses of this service could not be looked up' };
  if (!led.isWhole) return { kind: 'unknown', because: 'some of its addresses could not be looked up' };
  return { kind: 'nowhere' };
}
