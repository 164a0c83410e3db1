/** Packages for the firewall around applications: nftables, conntrack, and iproute2 for its self-check. */
import type { Announce } from './announce.ts';
import { installPackages } from './apt.ts';
import { findProgram } from './commands.ts';
import type { Host } from './host.ts';

/** The package that contains each program. */
const packages = { nft: 'nftables', conntrack: 'conntrack', ip: 'iproute2' };

/** Without the firewall, the service reports an error and how to run without it. */
export async function provideFirewall(host: Host, announce: Announce): Promise<void> {
  const missing: string[] = [];
  for (const [program, name] of Object.entries(packages)) if (!(await findProgram(program))) missing.push(name);
  if (missing.length === 0 || !host.isDebianLike || host.privilege === 'none') return;
  await announce(`Installing ${missing.join(', ')} from apt (about 5 s)`, () => installPackages(host, missing));
}
