/** The results of the tasks that succeeded. Throws the first fault if none did. */
export async function fulfilledResults<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(tasks);
  const values = settled.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
  const failed = settled.find((each) => each.status === 'rejected');
  if (values.length === 0 && failed) throw failed.reason;
  return values;
}
