/** PURE. Recognizes the format of a source archive by its first bytes. */

export type ArchiveFormat = 'tar' | 'gzip' | 'zstd' | 'zip';

/** The name `ustar` of a tar file ends here. The numbers of the other formats come first. */
export const magicBytes = 262;

/** `head`: the first `magicBytes` of the archive, or the whole archive. Undefined for any other format. */
export function archiveFormat(head: Buffer): ArchiveFormat | undefined {
  if (head.length < 4) return undefined;
  if (head.readUInt16BE(0) === 0x1f8b) return 'gzip';
  const first = head.readUInt32BE(0);
  if (first === 0x28b52ffd) return 'zstd';
  if (first === 0x504b0304) return 'zip';
  return head.toString('latin1', 257, 262) === 'ustar' ? 'tar' : undefined;
}
