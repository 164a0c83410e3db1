/** Open connections in the kernel's table. */
import { reportingFirstFault } from '../../../lib/first-fault.ts';
import { ProgramError } from '../../../lib/run-program.ts';
import { asRoot, run } from './nft.ts';

/**
 * Forgets the connections that were translated to an address whose container is gone. A sender of UDP that never pauses
 * would be led there for ever; over TCP a client would wait for an answer that never comes. The first of consecutive
 * faults is logged, e.g. that `conntrack` is not installed.
 */
export function forgetting(log: { warn(fields: object, message: string): void }): (address: string) => Promise<void> {
  const forget = reportingFirstFault(forgetFlows, (err) =>
    log.warn({ err }, 'connections to removed containers cannot be closed; UDP clients may keep sending there'),
  );
  return async (address) => void (await forget(address));
}

async function forgetFlows(address: string): Promise<void> {
  try {
    await run(asRoot(['conntrack', '--delete', '--reply-src', address]));
  } catch (error) {
    if (!(error instanceof ProgramError && /\b0 flow entries/.test(error.message))) throw error;
  }
}
