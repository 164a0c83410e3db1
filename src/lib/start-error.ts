/** Something that the operator has to mend before the service can start; the message says what. */
export class StartError extends Error {}
