/** With several edges, the target of an old route may now belong to another deployment. See `answering.ts`. */

/** Has one entry: the deadline in seconds since 1970. */
export const answeringMap = 'answering.map';

export const staleRules = `  # One of several edges serves no applications unless its service has recently confirmed its routes.
  http-request set-var(txn.until) str(until),map_str_int(${answeringMap},0)
  acl stale date,sub(txn.until) ge 0
  use_backend silent-browser if { var(txn.endpoint) -m found } stale browser
  use_backend silent if { var(txn.endpoint) -m found } stale
`;
