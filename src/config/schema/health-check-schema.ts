/** The schema of a pod's health check. */
import { Type } from 'typebox';
import { Command, Count, closed, Port, says, Text } from './value-schemas.ts';

export const HealthCheck = closed(
  {
    path: Type.Optional(
      Text(
        'Path to GET. A health check needs `path`, `command` or `disabled`, or `startPeriodSeconds` alone.',
        '/healthz',
        {
          pattern: '^/[^\\s]*$',
          ...says('must begin with a slash'),
        },
      ),
    ),
    port: Type.Optional(Port('Port to ask. Default: the first of `servicePorts`.')),
    command: Type.Optional(
      Command(
        'Program to run in the container, instead of a path to GET; ready when it ends with 0. A text is split into words as a shell does, and nothing is expanded in it. It is run as the user of the pod, one run at a time; a period or timeout above 60 s counts as 60.',
        'pg_isready -U app',
      ),
    ),
    disabled: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Asks nothing but the first port, not even the image's own HEALTHCHECK.",
        examples: [true],
        ...says('must be true or false'),
      }),
    ),
    initialDelaySeconds: Type.Optional(Count('Seconds before the first check.', 0, 3600, 0)),
    startPeriodSeconds: Type.Optional(
      Count(
        'Seconds after the start in which failed checks do not count; a success does. Without `path` and `command`, it applies to the default check.',
        0,
        3600,
        120,
      ),
    ),
    periodSeconds: Type.Optional(
      Count(
        'Seconds between two checks of a pod that has been ready, 10 at least; before that it is asked more often.',
        1,
        3600,
        10,
      ),
    ),
    timeoutSeconds: Type.Optional(Count('Seconds to wait for an answer.', 1, 3600, 5)),
    failureThreshold: Type.Optional(
      Count(
        'Failed checks in a row after which a pod that was ready is `degraded`, until one succeeds; a start that is answered badly for so many periods has failed. A command is given 30 s at least.',
        1,
        100,
        3,
      ),
    ),
  },
  {
    description:
      "When the pod is ready: an HTTP GET that answers 2xx or 3xx, or a command in the container that ends with 0. Public pods are asked under the name of their site, the others as `localhost`. Without it: a connection to the first port, or, in a pod without ports, the image's own HEALTHCHECK. A pod that was ready is asked for as long as it runs, a port every 30 s.",
    examples: [{ path: '/healthz', port: 3000 }],
  },
);
