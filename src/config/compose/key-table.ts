/**
 * The mapping of every key of a service and of the top level. `docs/reference/compose.md` lists it. `key-rules.ts` has
 * the code for keys whose outcome depends on their value.
 */

export type Outcome =
  /** The key has its usual effect. */
  | 'honoured'
  /** The key has no effect, and needs none here. */
  | 'accepted'
  /** The key has no effect, and a warning is reported. */
  | 'ignored'
  /** An error says what to write instead. */
  | 'refused'
  /** One of the above, depending on the value. */
  | 'depends';

/**
 * `says`: completes the sentence "`key` …" in the docs. For ignored and refused keys, it is also the hint of the
 * message.
 */
export type Key = { outcome: Outcome; says: string };

const honoured = (says: string): Key => ({ outcome: 'honoured', says });
const accepted = (says: string): Key => ({ outcome: 'accepted', says });
const ignored = (says: string): Key => ({ outcome: 'ignored', says });
const refused = (says: string): Key => ({ outcome: 'refused', says });
const depends = (says: string): Key => ({ outcome: 'depends', says });

export const topLevelKeys: Record<string, Key> = {
  name: honoured('the name of the application; without it the application is called `app`, with a warning'),
  version: accepted('has no effect any more'),
  services: honoured('one pod each'),
  volumes: honoured('named volumes, shared by the services that mount them; `external` and other drivers are refused'),
  configs: honoured('files, with `content`; `file` and `external` are refused where a service uses them'),
  secrets: honoured(
    'secret files, with `content` or `environment`; `file` and `external` are refused where a service uses them',
  ),
  networks: depends('not needed: all services of an application share one network; `external` is refused'),
  include: refused('only one document arrives here: copy the services of the included file into it'),
  models: ignored('models are not supported: run the model as a separate service'),
  'x-berth': honoured('`url`, `vars` (values for variables), `profiles` (to enable), `registryLogin`, `sleep`'),
  'x-…': accepted('extensions hold anchors'),
};

export const serviceKeys: Record<string, Key> = {
  image: honoured('the image; without a tag it means `latest`, with a warning'),
  build: depends(
    'in a [source archive](../guides/deploy-source-code.md), or from a Git repository in `source` or `context`; otherwise a warning if `image` is set, or refused',
  ),
  command: honoured("replaces the image's CMD"),
  entrypoint: honoured("replaces the image's ENTRYPOINT"),
  environment: honoured('variables, as a map or a list'),
  env_file: depends('the file is not part of the document: refused, unless `required: false`; write `environment:`'),
  ports: honoured(
    'the container side; of the published HTTP services the one in front gets `/`, further ones `/<service>`, and those that a proxy in front waits for none',
  ),
  expose: honoured('ports for the other services'),
  depends_on: honoured(
    'the others must be ready first; `service_completed_successfully` makes the other a job; with `restart: true` the service is replaced when the other is',
  ),
  healthcheck: honoured(
    'curl or wget of a local address becomes an HTTP check; other commands are run in the container, every 60 s at least; `disable` and `NONE` leave the port; without `test`, only `start_period` applies',
  ),
  volumes: depends('named and anonymous volumes; bind mounts are refused'),
  configs: honoured('files at `/<name>` or `target`, with `uid`, `gid` and `mode`'),
  secrets: honoured('files at `/run/secrets/<name>` or `target`, with `uid`, `gid` and `mode`'),
  deploy: honoured('`replicas`, `mode`, `resources`, `restart_policy.condition`; the rest is ignored'),
  scale: honoured('the number of replicas; 0 leaves the service out'),
  restart: depends(
    'a service is restarted after a failure; after an exit with 0 only with `always` or `unless-stopped`, or if it is public',
  ),
  profiles: honoured('a service with profiles is left out, unless `x-berth` at the top enables one'),
  extends: depends('a service of the same document; another `file` is refused'),
  user: honoured('the user that the process runs as'),
  working_dir: honoured('the directory that it starts in'),
  container_name: honoured('a further name by which the others reach it'),
  hostname: honoured('the host name of the container, and another name by which other services reach it'),
  links: honoured('further names by which the others reach it, and an order of start'),
  networks: honoured('`aliases` are further names; all services share one network'),
  mem_limit: honoured('limit of memory'),
  mem_reservation: honoured('memory that it needs at least'),
  cpus: honoured('limit of processors'),
  gpus: honoured('the service gets a GPU'),
  'x-berth': honoured(
    '`path` (or `false` for none), `stripPrefix`, `sticky`, `port`, `url`, `subdomain`, `resourceType`',
  ),
  'x-…': accepted('extensions hold anchors'),

  attach: accepted('has no meaning here'),
  cap_drop: accepted('all capabilities but those that official images need are dropped anyway'),
  develop: accepted('has no meaning here'),
  init: accepted('there is always an init process'),
  pull_policy: accepted('an image that is missing is pulled'),
  pull_refresh_after: accepted('an image that is missing is pulled'),
  stdin_open: accepted('has no meaning here'),
  tty: accepted('has no meaning here'),

  annotations: ignored('nothing reads them here'),
  blkio_config: ignored('the limits of disks are set by the operator'),
  cgroup_parent: ignored('the control group is set by the operator'),
  cpu_count: ignored('write cpus, or deploy.resources.limits.cpus'),
  cpu_percent: ignored('write cpus, or deploy.resources.limits.cpus'),
  cpu_period: ignored('write cpus, or deploy.resources.limits.cpus'),
  cpu_quota: ignored('write cpus, or deploy.resources.limits.cpus'),
  cpu_rt_period: ignored('write cpus, or deploy.resources.limits.cpus'),
  cpu_rt_runtime: ignored('write cpus, or deploy.resources.limits.cpus'),
  cpu_shares: ignored('write deploy.resources.reservations.cpus'),
  cpuset: ignored('write cpus, or deploy.resources.limits.cpus'),
  dns: ignored('names are resolved by the host; services resolve by their names'),
  dns_opt: ignored('names are resolved by the host; services resolve by their names'),
  dns_search: ignored('names are resolved by the host; services resolve by their names'),
  domainname: honoured('the domain that it calls its own'),
  extra_hosts: honoured(
    'further names for public addresses or other services; private ones and `host-gateway` are refused',
  ),
  group_add: honoured('further groups of the user'),
  isolation: ignored('the isolation is set by the operator'),
  label_file: accepted('nothing reads labels here; a public path is x-berth: { path: /… }'),
  labels: accepted('nothing reads labels here; a public path is x-berth: { path: /… }'),
  logging: ignored('the last lines of every service are kept, and served by the API'),
  mac_address: ignored('addresses are given by the host'),
  mem_swappiness: ignored('containers have no swap'),
  memswap_limit: ignored('containers have no swap'),
  oom_kill_disable: ignored('a service above its limit of memory is restarted'),
  oom_score_adj: ignored('a service above its limit of memory is restarted'),
  pids_limit: ignored('the limit of processes is set by the operator'),
  pre_stop: ignored('nothing runs before a stop; let the process act on SIGTERM'),
  read_only: honoured('its own files can only be read; `/tmp` is then in memory. Not where files are put into it'),
  security_opt: ignored('privileges are set by the operator, and are few'),
  shm_size: honoured('size of `/dev/shm`, within its memory'),
  stop_grace_period: honoured('time for a stop: 10 s by default, at most 30 s'),
  stop_signal: honoured('the signal that stops the process'),
  storage_opt: ignored('the limits of disks are set by the operator'),
  sysctls: honoured('settings of its own network, such as `net.core.somaxconn`; others are refused'),
  tmpfs: honoured('directories in memory, within its memory; `size`, `mode`, `uid`, `gid`, `exec`'),
  ulimits: honoured('`nofile` (at most 16384), `core` (0), `cpu`, `fsize`, `stack`, `data`; others are ignored'),

  cap_add: depends("those that all containers have are accepted; the host's own are refused; others are ignored"),
  cgroup: depends('`host` is refused'),
  ipc: depends('`host` and `service:…` are refused'),
  network_mode: depends('`bridge` and `default` are accepted; `host`, `service:…`, `none` and others are refused'),
  pid: depends('`host` and `service:…` are refused'),
  platform: depends("another system than linux is refused; the architecture is the host's"),
  privileged: depends('`true` is refused'),
  runtime: depends('`nvidia` means a GPU; others are ignored'),
  use_api_socket: depends('`true` is refused'),
  userns_mode: depends('`host` is refused'),
  uts: depends('`host` is refused'),

  credential_spec: refused('accounts of the host do not exist here: put credentials into secrets with content'),
  device_cgroup_rules: refused('devices of the host are not available: remove it'),
  devices: refused('devices of the host are not available: remove it; for a GPU write gpus: all'),
  external_links: refused('containers outside of the application cannot be reached: add the other one as a service'),
  models: refused('models are not supported: run the model as a separate service'),
  post_start: refused('nothing runs after a start: do it in the command, or in a service of its own that runs once'),
  pre_start: refused('nothing runs before a start: make it a service of its own that runs once, and depend on it'),
  provider: refused('tools of other providers are not available: write a service with an image'),
  volumes_from: refused('write the volumes of the other service under volumes: of this one too'),
};
