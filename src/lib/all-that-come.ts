/** The results of the tasks that succeeded. Throws the first fault if none did. */
export async function allThatCome<T>(works: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(works);
  const came = settled.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
  const failed = settled.find((each) => each.status === 'rejected');
  if (came.length === 0 && failed) throw failed.reason;
  return came;
}
