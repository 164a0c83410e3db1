/** Words for the operator; they hold no secret. `isFull`: the place has no room. */
export class BackupFault extends Error {
  readonly isFull: boolean;

  constructor(message: string, { isFull = false, ...options }: ErrorOptions & { isFull?: boolean } = {}) {
    super(message, options);
    this.name = 'BackupFault';
    this.isFull = isFull;
  }
}
