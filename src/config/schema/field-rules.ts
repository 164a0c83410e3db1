/** Rules of fields, for the schema and for code that checks single values without the schema's library. */

/** Characters of a segment as in RFC 3986 (pchar), without percent-encoding: prefixes are compared literally. */
export const publicPathPattern = "^/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]+(?:/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*/?)?$";

export const applicationNamePattern = '^[a-z][a-z0-9.-]{1,62}[a-z0-9]$';
export const podNamePattern = '^[a-z][a-z0-9-]{0,61}[a-z0-9]$';

export const resourceTypes = ['deployment', 'statefulset', 'daemonset', 'job'] as const;
