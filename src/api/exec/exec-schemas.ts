/** Schemas of commands in pods, for requests and for the messages of a terminal. */
import { type Static, Type } from 'typebox';
import { ApplicationFields } from '../requests/callers.ts';

const Command = Type.Array(Type.String({ maxLength: 16_384 }), {
  minItems: 1,
  maxItems: 200,
  description:
    'A program of the image and its arguments. They do not go through a shell; `["sh", "-c", "ls *.sql"]` uses one.',
});

const Size = Type.Integer({ minimum: 1, maximum: 1_000 });
const TerminalSize = Type.Object({ columns: Size, rows: Size });

/** The container to run the command in. */
const Place = {
  ...ApplicationFields.properties,
  pod: Type.String({ minLength: 1, maxLength: 64, description: 'Its name in the configuration.' }),
  replica: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000,
      description: 'The replica of the pod, starting at 0. Default: the first running replica.',
    }),
  ),
};

/** Less than the time limits of the edge and of usual clients. */
export const maxSeconds = 240;

export const ExecBody = Type.Object({
  ...Place,
  command: Command,
  stdin: Type.Optional(
    Type.String({ maxLength: 49_152, description: 'The standard input of the program. Default: empty.' }),
  ),
  timeoutSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxSeconds,
      default: 60,
      description: 'The time after which the program is ended.',
    }),
  ),
});

export const ExecRecord = Type.Object({
  exitCode: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null: the program was ended, or its container has ended.',
  }),
  ended: Type.Enum(['by-itself', 'timed-out', 'too-much-output', 'given-up'], {
    description: '`too-much-output`: the response contains the first 1 MiB. `given-up`: the service was about to stop.',
  }),
  stdout: Type.String({
    description: 'Text; invalid bytes are replaced. Untrusted output.',
  }),
  stderr: Type.String(),
  replica: Type.Integer({ minimum: 0 }),
});

/** The first message that a client of a terminal sends. */
export const OpenMessage = Type.Object({
  kind: Type.Literal('open'),
  ...Place,
  command: Type.Optional(Command),
  terminal: Type.Optional(TerminalSize),
});

/** Messages after the first one; input arrives as bytes. */
export const ControlMessage = Type.Union([
  Type.Object({ kind: Type.Literal('resize'), ...TerminalSize.properties }),
  Type.Object({ kind: Type.Literal('end-of-input') }),
]);

export type OpenMessage = Static<typeof OpenMessage>;
export type ControlMessage = Static<typeof ControlMessage>;

/** Without a command, a shell is started: `bash` if the image has it, otherwise `sh`. */
export const shellCommand = [
  '/bin/sh',
  '-c',
  'if command -v bash >/dev/null 2>&1; then exec bash; fi; exec sh',
] as const;
