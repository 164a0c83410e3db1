/** PURE. Which of the host's GPUs a new container gets. */

/** The workload whose container has the GPU, or will get it. */
export type GpuHolder = { deploymentId: string; pod: string; replica: number };

/**
 * Returns a GPU number below `count` that no other deployment uses, or undefined. While an update replaces a container,
 * the new one shares the number of the old one: both are one holder, and the budget counts them once.
 */
export function gpuFor(
  wanted: GpuHolder,
  held: readonly (GpuHolder & { gpu: number })[],
  count: number,
): number | undefined {
  const own = held.filter(({ deploymentId, gpu }) => deploymentId === wanted.deploymentId && gpu < count);
  const former = own.find(({ pod, replica }) => pod === wanted.pod && replica === wanted.replica);
  if (former) return former.gpu;
  const taken = new Set(held.map(({ gpu }) => gpu));
  const free = Array.from({ length: count }, (_, gpu) => gpu).find((gpu) => !taken.has(gpu));
  // The containers that the update removes keep their GPUs until the new ones are ready.
  return free ?? own[0]?.gpu;
}
