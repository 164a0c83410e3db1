/** PURE. The output of a build, by images and steps. */
import { readBuildStep } from '../../../src/deployment/build/build-steps.ts';
import { withoutColors } from './colors.ts';

export type StepOutput = {
  /** A text such as `step 4 of 9`. */
  place: string;
  /** A text such as `RUN npm ci`. */
  title: string;
  lines: string[];
  isCached: boolean;
  /** A text such as `12.3 s`. Absent until the step has ended. */
  took?: string;
};

export type ImageOutput = { image: string; steps: StepOutput[] };

const imageLine = /^=== (.*)$/;
const durationLine = /^--- ([\d.]+ s)$/;
/** A layer ID, which is not useful to users. */
const layerLine = /^--> [0-9a-f]{6,}$/;
const cacheLine = /^--> Using cache/;

/** `text`: as `getDeploymentLogs` with `build=true` responds. */
export function readBuildOutput(text: string): ImageOutput[] {
  const images: ImageOutput[] = [];
  for (const line of text.split('\n')) {
    const image = imageLine.exec(line)?.[1];
    if (image !== undefined) images.push({ image, steps: [] });
    else addLine(images.at(-1) ?? begin(images), line);
  }
  return images.filter(({ steps }) => steps.length > 0);
}

function begin(images: ImageOutput[]): ImageOutput {
  const unnamed = { image: '', steps: [] };
  images.push(unnamed);
  return unnamed;
}

function addLine({ steps }: ImageOutput, line: string): void {
  const begun = readBuildStep(withoutColors(line));
  if (begun) {
    const { step, of, instruction } = begun;
    steps.push({ place: `${step}/${of}`, title: instruction, lines: [], isCached: false });
    return;
  }
  if (line === '' || layerLine.test(line)) return;
  const current = steps.at(-1);
  const took = durationLine.exec(line)?.[1];
  if (took !== undefined) {
    if (current) current.took = took;
  } else if (current && cacheLine.test(line)) current.isCached = true;
  else if (current) current.lines.push(line);
  else steps.push({ place: '', title: 'Before the first step', lines: [line], isCached: false });
}
