/** A configuration from a file of this person. */

/** The service reads no more (`maxDocumentBytes`). */
const maxFileBytes = 256 * 1024;

export function readDocument(file: File): Promise<string> {
  return file.slice(0, maxFileBytes).text();
}
