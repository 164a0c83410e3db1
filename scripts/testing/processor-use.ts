/** The processor time of a process, including its ended children and theirs. */
import { readFileSync } from 'node:fs';

/** The unit of these numbers is the same on all architectures of Linux that Node runs on. */
const ticksPerSecond = 100;

/** Returns the processor time of this process so far, in milliseconds. */
export function processorMs(): number {
  const line = readFileSync('/proc/self/stat', 'utf8');
  // The name may contain any character. The fields after it are numbers, and the times start at the twelfth.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / ticksPerSecond;
}
