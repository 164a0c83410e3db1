/** Server-sent events, read from the text of a stream. Pure. (`EventSource` cannot send an Authorization header.) */

export type Message = { id?: string; event: string; data: string };

/** Takes the text in whatever pieces it comes and gives the messages that are complete. */
export function createParser(): (piece: string) => Message[] {
  let rest = '';
  return (piece) => {
    rest += piece;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    return blocks.flatMap(readBlock);
  };
}

/** A block without data (a comment that keeps the connection open) is no message. */
function readBlock(block: string): Message[] {
  const fields = block.split(/\r?\n/).map((line) => /^([^:]*)(?:: ?(.*))?$/.exec(line));
  const all = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field?.[2] ?? '');
  const data = all('data');
  if (data.length === 0) return [];
  const id = all('id').at(-1);
  return [{ event: all('event').at(-1) ?? 'message', data: data.join('\n'), ...(id !== undefined && { id }) }];
}
