/** The package's own types are in a file that its manifest does not name. */
declare module '@balena/dockerignore' {
  export type Ignore = { add(patterns: string[]): Ignore; ignores(path: string): boolean };
  export default function ignore(): Ignore;
}
