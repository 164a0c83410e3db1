/** The most bytes of a source archive, and of the files in it. */
export const maxSourceBytes = 512 * 2 ** 20;
