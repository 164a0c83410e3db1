/** For work that is done again and again, whether it went well or not: a guard, a watch. */

/** The same work, which never rejects; answers whether it went well. Of failures in a row only the first is told. */
export function reportingFirstFault(
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): () => Promise<boolean> {
  let wentWell = true;
  return async () => {
    try {
      await work();
      wentWell = true;
    } catch (error) {
      if (wentWell) onFault(error);
      wentWell = false;
    }
    return wentWell;
  };
}
