/** Codes of SQLite and PostgreSQL for a full disk. */
const fullCodes = ['SQLITE_FULL', '53100'];

/** The database was unreachable or too busy. Neither the request nor the service caused it. */
export class StoreFault extends Error {
  override name = 'StoreFault';
  /** Whether the statement took effect: no, or unknown (the response to a commit was lost). */
  readonly wasDone: 'no' | 'unknown';
  /** Whether an immediate retry may succeed. False if the call has already waited. */
  readonly isBrief: boolean;
  /** The error code of the database or the system, such as `57P01` or `ECONNREFUSED`. */
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
