/**
 * What the entrypoints of official images need to start as root, hand their files to a user, and become that user.
 * Tried with PostgreSQL, Redis, nginx and Node. Containers have no other capabilities.
 */
export const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID', 'NET_BIND_SERVICE', 'KILL'];
