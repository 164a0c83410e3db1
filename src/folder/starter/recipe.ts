/** How a program without a Dockerfile is built. */
export type Recipe = {
  /** What it was told from, for whoever asks: `package.json (start)`. */
  found: string;
  dockerfile: string;
  port: number;
  /** Nothing in the folder says the port. */
  isGuess: boolean;
  /** What `.dockerignore` names besides what it always does. */
  ignored: string[];
};
