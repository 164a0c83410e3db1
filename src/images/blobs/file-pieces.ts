/** Reading and writing of open files that stay open: a stream of Node's closes its file whenever it is destroyed. */
import { read, write } from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);
const writeAt = promisify(write);

/** The content of a file, in new buffers. A caller that stops early may close the file when `return` has settled. */
export async function* filePieces(fd: number, pieceBytes = 2 ** 19): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const buffer = Buffer.allocUnsafeSlow(pieceBytes);
    const { bytesRead } = await readAt(fd, buffer, 0, pieceBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Writes all of `piece` at an offset. */
export async function writePiece(fd: number, piece: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < piece.length; )
    done += (await writeAt(fd, piece, done, piece.length - done, offset + done)).bytesWritten;
}
