/** PURE. Reads the progress of a build from its output. */

export type BuildStep = { step: number; of: number; instruction: string };

/** buildah writes `STEP 4/9: RUN npm ci`, and `[2/3] STEP 4/9: …` in a build with several stages. */
const stepLine = /^(?:\[\d+\/(?<of>\d+)\] )?STEP (?<step>\d+)\/(?<steps>\d+): (?<instruction>.*)$/;

/** Parses the first output line of a step. Undefined for other lines. */
export function readBuildStep(line: string): BuildStep | undefined {
  const groups = stepLine.exec(line)?.groups;
  if (!groups) return undefined;
  const { step, steps, instruction = '' } = groups;
  return { step: Number(step), of: Number(steps), instruction: instruction.slice(0, 200) };
}

/** Prints a step such as `step 4 of 9, RUN npm ci`. */
export function describeBuildStep({ step, of, instruction }: BuildStep): string {
  return `step ${step} of ${of}, ${instruction}`;
}
