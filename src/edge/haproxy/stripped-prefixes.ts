/** Rules that remove the prefix of a route from the path, and report it in a header. */
import { maxStripped } from '../../config/spec/spec.ts';

/**
 * Returns a pair of rules for each number of segments in `variable`. The rest of `/api//x` begins with one slash,
 * because with two, a program could interpret `x` as a host.
 */
export function stripRules(variable: string): string {
  return Array.from({ length: maxStripped }, (_, index) => {
    const segments = index + 1;
    const condition = `if { var(${variable}) -m str ${segments} }`;
    return `http-request set-header X-Forwarded-Prefix %[path,field(1,/,${segments + 1})] ${condition}
  http-request set-path /%[path,field(${segments + 2},/,0),regsub(^/+,)] ${condition}`;
  }).join('\n  ');
}
