/** Settings about building images from source. */
import { integer, type Setting, size } from './setting-values.ts';

export type BuildSettings = {
  builds: number;
  buildMemoryBytes: number;
};

export const buildTable = {
  builds: {
    variable: 'BUILDS',
    default: '2',
    help: 'how many image builds from source run at a time; 0 refuses source code',
    read: integer(0, 100),
  },
  buildMemoryBytes: {
    variable: 'BUILD_MEMORY',
    default: '2Gi',
    help: 'memory limit of an image build',
    read: size,
  },
} satisfies { [Name in keyof BuildSettings]: Setting<BuildSettings[Name]> };
