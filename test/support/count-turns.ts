/** Counts the turns of the event loop until `end` is called. */
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
