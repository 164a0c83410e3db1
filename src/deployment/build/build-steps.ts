/** PURE. Reads the progress of a build from its output. */

export type BuildStep = { step: number; of: number; instruction: string };

/** buildah writes `STEP 4/9: RUN npm ci`, and `[2/3] STEP 4/9: …` in a build with several stages. */
const stepLine = /^(?:\[\d+\/(?<of>\d+)\] )?STEP (?<step>\d+)\/(?<steps>\d+): (?<instruction>.*)$/;

/** The step that a line of output begins; undefined for any other line. */
export function readBuildStep(line: string): BuildStep | undefined {
  const groups = stepLine.exec(line)?.groups;
  if (!groups) return undefined;
  const { step, steps, instruction = '' } = groups;
  return { step: Number(step), of: Number(steps), instruction: instruction.slice(0, 200) };
}

/** Such as `step 4 of 9, RUN npm ci`. */
export function describeBuildStep({ step, of, instruction }: BuildStep): string {
  return `step ${step} of ${of}, ${instruction}`;
}
