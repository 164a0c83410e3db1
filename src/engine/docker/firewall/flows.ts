/** Open connections in the kernel's table. */
import { asRoot, ProgramError, run } from './nft.ts';

/**
 * Forgets the connections that were translated to an address whose container is gone. A sender of UDP that never pauses
 * would be led there for ever; over TCP a client would wait for an answer that never comes. Throws ProgramError.
 */
export async function forgetFlows(address: string): Promise<void> {
  try {
    await run(asRoot(['conntrack', '--delete', '--reply-src', address]));
  } catch (error) {
    if (!(error instanceof ProgramError && /\b0 flow entries/.test(error.message))) throw error;
  }
}
