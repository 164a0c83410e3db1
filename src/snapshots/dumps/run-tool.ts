/** A database's own tool, run in its container. */
import { type CommandRun, runInWorkload, type WorkloadCommand } from '../../engine/run-in-workload.ts';
import { SnapshotFault } from '../snapshot-parts.ts';

export type Tool = WorkloadCommand;

export type ToolRun = Omit<CommandRun, 'fault' | 'takeError'>;

/** Resolves when the tool has ended with 0 and read its whole input. Throws SnapshotFault otherwise. */
export async function runTool(tool: Tool, run: ToolRun): Promise<void> {
  await runInWorkload(tool, { ...run, fault: (message, options) => new SnapshotFault(message, options) });
}
