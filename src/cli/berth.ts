/** The command `berth`: reads its words, and hands over to one command. */
import { parseArgs } from 'node:util';
import { validate } from './validate.ts';

const help = `berth: deploy an application that one YAML file describes.

  berth validate FILE…      check configurations and Compose files; - is standard input
      --json                print the result as JSON
  berth admin COMMAND       what the operator sees and changes: accounts, plans, deployments; --help lists it
  berth help                this text

Exit status: 0 all valid, 1 something is not valid, 2 it could not be checked.
Colours are used on a terminal, unless NO_COLOR is set.
`;

process.exitCode = await run(process.argv.slice(2));

async function run(words: string[]): Promise<number> {
  if (words[0] === 'admin') {
    // Here, not at the top: nothing else needs a database, and loading one takes longer than checking a file.
    const { admin } = await import('./admin/berth-admin.ts');
    return await admin(words.slice(1), process);
  }
  let parsed: ReturnType<typeof parseWords>;
  try {
    parsed = parseWords(words);
  } catch (error) {
    return complain((error as Error).message.split('\n')[0]!);
  }
  const { values, positionals } = parsed;
  const [command, ...files] = positionals;
  if (values.help || command === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (command === undefined) return complain('There is no command.');
  if (command !== 'validate') return complain(`There is no command "${command}".`);
  if (files.length === 0) return complain('There is no file. For standard input, write: berth validate -');
  return await validate(files, { asJson: values.json, process });
}

function parseWords(words: string[]) {
  const options = {
    help: { type: 'boolean', short: 'h', default: false },
    json: { type: 'boolean', default: false },
  } as const;
  return parseArgs({ args: words, allowPositionals: true, options });
}

function complain(message: string): number {
  process.stderr.write(`${message}\n\n${help}`);
  return 2;
}
