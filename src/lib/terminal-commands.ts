/**
 * Commands that set a title or a link end with a terminator. All others end with their last letter. Before the
 * terminator, Node's `stripVTControlCharacters` accepts further commands, so it searches the rest of the text for each
 * `ESC ]`: 512 KiB of them take 72 s (measured). This pattern takes linear time.
 */
const commands =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters begin and end commands of a terminal
  /\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|[\x1b\x9b][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g;

/** The text without commands for terminals. Incomplete commands may leave control characters. */
export function withoutTerminalCommands(text: string): string {
  return text.replaceAll(commands, '');
}
