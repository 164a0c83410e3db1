/** Why an image cannot be made or pushed, in words for whoever asked for it. */
export class PushFault extends Error {
  readonly hint: string | undefined;
  /** Of a program that has failed: the end of what it has written. */
  readonly output: readonly string[];

  constructor(message: string, { hint, output = [] }: { hint?: string; output?: readonly string[] } = {}) {
    super(message);
    this.hint = hint;
    this.output = output;
  }
}
