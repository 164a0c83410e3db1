/** For work that is done again and again, whether it went well or not: a guard, a watch. */

/** The same work, which never rejects; returns whether it went well. Of consecutive failures only the first is reported. */
export function reportingFirstFault<Args extends unknown[]>(
  work: (...args: Args) => Promise<unknown>,
  onFault: (error: unknown) => void,
): (...args: Args) => Promise<boolean> {
  let wentWell = true;
  return async (...args) => {
    try {
      await work(...args);
      wentWell = true;
    } catch (error) {
      if (wentWell) onFault(error);
      wentWell = false;
    }
    return wentWell;
  };
}
