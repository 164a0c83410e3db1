/**
 * The capabilities that the entrypoints of official images need to start as root, hand their files to a user, and
 * become that user. Tested with PostgreSQL, Redis, nginx and Node. Containers have no other capabilities.
 */
export const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID', 'NET_BIND_SERVICE', 'KILL'];

/**
 * The capabilities of a container that builds images. buildah 1.28 fails to write `uid_map` without SETFCAP, and to run a
 * step in its own root file system without SYS_CHROOT (measured).
 */
export const builderCapabilities = [...capabilities, 'FSETID', 'SYS_CHROOT', 'SETFCAP'];

/**
 * gVisor cannot set up user namespaces as buildah does, so builders there have the capabilities that a user namespace would
 * give them. They are capabilities of gVisor's kernel only.
 */
export const gvisorBuilderCapabilities = [...builderCapabilities, 'SYS_ADMIN', 'SETPCAP'];
