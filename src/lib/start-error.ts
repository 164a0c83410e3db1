/** A problem that the operator must fix before the service can start, with a message. */
export class StartError extends Error {}
