/** The reason why an image could not be built, as a message for the owner of the deployment. */

export class BuildFault extends Error {
  /** How the owner can fix it. */
  readonly hint: string | undefined;

  constructor(message: string, { hint, ...options }: ErrorOptions & { hint?: string | undefined } = {}) {
    super(message, options);
    this.name = 'BuildFault';
    this.hint = hint;
  }
}
