/** What came of several works, whatever became of the others; throws the first fault where none went well. */
export async function allThatCome<T>(works: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(works);
  const came = settled.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
  const failed = settled.find((each) => each.status === 'rejected');
  if (came.length === 0 && failed) throw failed.reason;
  return came;
}
