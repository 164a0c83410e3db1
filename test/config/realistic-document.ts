/** `expect`: the codes of the errors in document order; none when it is accepted. `warns`: warnings and notes it must have. */
export type Realistic = { title: string; text: string; expect: string[]; warns?: string[] };

/** One that is accepted, with these warnings and notes. */
export const good = (title: string, text: string, ...warns: string[]): Realistic => ({
  title,
  text,
  expect: [],
  warns,
});
