/** The schema of a pod's health check. */
import { Type } from 'typebox';
import { Command, Count, closed, Port, Text, withMessage } from './value-schemas.ts';

export const HealthCheck = closed(
  {
    path: Type.Optional(
      Text(
        'Path to GET. A health check needs `path`, `command` or `disabled`, or `startPeriodSeconds` alone.',
        '/healthz',
        {
          pattern: '^/[^\\s]*$',
          ...withMessage('must begin with a slash'),
        },
      ),
    ),
    port: Type.Optional(Port('Port of the request. Default: the first of `servicePorts`.')),
    command: Type.Optional(
      Command(
        'Program to run in the container instead of an HTTP GET. The pod is ready if the program exits with 0. A text is split into words like in a shell, without expansion. The program runs as the user of the pod, one run at a time. A period or timeout above 60 s counts as 60.',
        'pg_isready -U app',
      ),
    ),
    disabled: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Only checks that the first port accepts connections; ignores the HEALTHCHECK of the image.',
        examples: [true],
        ...withMessage('must be true or false'),
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
        'Seconds between two checks of a pod that was ready, at least 10. Before that, checks are more frequent.',
        1,
        3600,
        10,
      ),
    ),
    timeoutSeconds: Type.Optional(Count('Seconds to wait for an answer.', 1, 3600, 5)),
    failureThreshold: Type.Optional(
      Count(
        'Consecutive failed checks after which a pod that was ready is `degraded`, until a check succeeds. A start fails after failed checks for this number of periods. A command has at least 30 s.',
        1,
        100,
        3,
      ),
    ),
  },
  {
    description:
      'How to check that the pod is ready: an HTTP GET with a 2xx or 3xx response, or a command in the container that exits with 0. The request uses the host name of the site for public pods, and `localhost` for other pods. Default: a connection to the first port, or the HEALTHCHECK of the image in a pod without ports. The checks continue while the pod runs; a port is checked every 30 s.',
    examples: [{ path: '/healthz', port: 3000 }],
  },
);
