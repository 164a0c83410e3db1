/** Of SQLite and PostgreSQL. */
const fullCodes = ['SQLITE_FULL', '53100'];

/** The database could not be asked, or was too busy to answer: nothing that the request, or we, did wrong. */
export class StoreFault extends Error {
  override name = 'StoreFault';
  /** Whether what was asked is done all the same: never, or nobody can tell (an answer to a commit that was lost). */
  readonly wasDone: 'no' | 'unknown';
  /** Whether another try may go well at once; else somebody has waited for it already. */
  readonly isBrief: boolean;
  /** What the database or the system calls it, such as `57P01` or `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(message: string, fault: Pick<StoreFault, 'wasDone' | 'isBrief' | 'code'>) {
    super(message);
    this.wasDone = fault.wasDone;
    this.isBrief = fault.isBrief;
    this.code = fault.code;
  }

  /** The disk of the database is full. Reads continue; writes work again when there is space. */
  get isFull(): boolean {
    return fullCodes.some((code) => code === this.code);
  }
}
