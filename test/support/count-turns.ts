/** Counts how often the event loop comes round, until its end is asked for. */
export function countTurns(): { end(): number } {
  let turns = 0;
  let next = setImmediate(count);
  function count() {
    turns++;
    next = setImmediate(count);
  }
  return {
    end() {
      clearImmediate(next);
      return turns;
    },
  };
}
