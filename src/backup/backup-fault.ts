/** The message is for the operator and contains no secret. `isFull`: the backup location has no space left. */
export class BackupFault extends Error {
  readonly isFull: boolean;

  constructor(message: string, { isFull = false, ...options }: ErrorOptions & { isFull?: boolean } = {}) {
    super(message, options);
    this.name = 'BackupFault';
    this.isFull = isFull;
  }
}
