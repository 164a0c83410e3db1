/** The reason why an image cannot be built or pushed, as a message for the user. */
export class PushFault extends Error {
  readonly hint: string | undefined;
  /** The last output lines of a failed program. */
  readonly output: readonly string[];

  /** The service does not respond. A retry may succeed. */
  readonly isUnreachable: boolean;

  constructor(message: string, { hint, output = [], isUnreachable = false }: FaultDetails = {}) {
    super(message);
    this.isUnreachable = isUnreachable;
    this.hint = hint;
    this.output = output;
  }
}

type FaultDetails = { hint?: string; output?: readonly string[]; isUnreachable?: boolean };
