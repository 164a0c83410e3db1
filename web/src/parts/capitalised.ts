/** What the service says begins with a small letter, where it is a part of a sentence; alone it is one. Pure. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
