/** The schema of `build`: source code that an image is built from. */
import { Type } from 'typebox';
import { closed, Text, Vars } from './value-schemas.ts';

const BuildSource = closed(
  {
    git: Text('The https address of a Git repository.', 'https://github.com/acme/shop'),
    ref: Type.Optional(Text('A branch, a tag, or the complete hash of a commit. Default: the default branch.', 'main')),
    path: Type.Optional(Text('The folder of the repository. Default: the whole repository.', 'apps/web')),
    token: Type.Optional(
      Text(
        'An access token for a private repository, or `user:token`. It is sent to the Git server and not stored.',
        'ghp_0123456789',
      ),
    ),
  },
  {
    description: 'A Git repository with the files of the build.',
    examples: [{ git: 'https://github.com/acme/shop', ref: 'main', path: 'apps/web' }],
  },
);

/** Other fields of a build are the same as in Compose. `checkBuilds` checks it. */
export const Build = Type.Union(
  [
    Type.String(),
    Type.Object(
      {
        source: Type.Optional(BuildSource),
        context: Type.Optional(Text('The folder of the build, in the source. Default: the whole source.', 'web')),
        dockerfile: Type.Optional(Text('The Dockerfile, in the context. Default: `Dockerfile`.', 'Dockerfile.prod')),
        target: Type.Optional(Text('The stage of the Dockerfile to build. Default: the last one.', 'production')),
        args: Type.Optional({
          ...Vars,
          description: 'Build arguments: a map, or a list of `NAME=value`.',
          default: {},
        }),
      },
      { description: 'How the image is built.' },
    ),
  ],
  {
    description:
      'Builds the image from source code: from the Git repository in `source`, or, in a source archive, from a folder. The image needs no name.',
    examples: [{ source: { git: 'https://github.com/acme/shop' } }],
  },
);
