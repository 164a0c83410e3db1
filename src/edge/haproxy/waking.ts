/**
 * Requests of sleeping sites: HAProxy holds a request, with its body unread, until the service has woken up the site,
 * and then looks its route up again. PURE.
 */
import { asleepSite } from '../route-maps.ts';

export const wakeFile = 'wake.lua';

/** HAProxy's own actions cannot wait for an answer; a Lua action can. `socket`: of the service, as HAProxy sees it. */
export function wakeScript(socket: string): string {
  return `core.register_action('wake', { 'http-req' }, function(txn)
  local socket = core.tcp()
  socket:settimeout(${waitSeconds})
  if socket:connect('unix@${socket}') then
    socket:send('GET / HTTP/1.0\\r\\nHost: ' .. txn:get_var('txn.host') .. '\\r\\nX-Berth-Wake: 1\\r\\n\\r\\n')
    socket:receive('*l')
  end
  socket:close()
end, 0)
`;
}

/** Longer than the service lets a request wait. */
const waitSeconds = 20;

export const wakeLoading = `lua-load-per-thread ${wakeFile}`;

/** `lookUp`: the rule that sets the site from its host. */
export function wakeRules(lookUp: string): string {
  const isAsleep = `if { var(txn.site) -m beg ${asleepSite} }`;
  return `http-request lua.wake ${isAsleep}\n  ${lookUp} ${isAsleep}`;
}
