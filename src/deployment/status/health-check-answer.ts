/** PURE. The shown part of a response to a failing health check. The response is hostile input. */

/** The number of characters that are shown. */
const maxBytes = 500;

/** The number of bytes that are read. A secret that begins in the shown part is then recognized as a whole. */
export const bytesRead = 2_000;

/** Terminal colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const terminalCodes = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Invisible characters: control characters, direction marks, lone surrogates. */
const unseen = /[^\P{C}\n\t]|\p{Zl}|\p{Zp}|\ufffd/gu;

/** Decodes the first bytes of any body as text. */
export function readableText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\r\n?/g, '\n').replace(terminalCodes, '').replace(unseen, '').trim();
}

/** Returns the beginning of a text that contains no secrets, so that the cut splits none. */
export function shownBeginning(text: string): string {
  return readableText(Buffer.from(text).subarray(0, maxBytes));
}
