/** What the events of a deployment tell, in words. Pure. */

export type DeploymentEvent = {
  number: number;
  /** A date-time. */
  at: string;
  kind: 'intent' | 'operation' | 'progress' | 'pod' | 'state' | 'fault';
  pod?: string;
  message: string;
};

export type Telling = { text: string; detail?: string; tone: 'plain' | 'good' | 'bad' };

/** Undefined for what others tell as well: the progress bar, the start of a pod. */
export function tell(event: DeploymentEvent): Telling | undefined {
  const { kind, pod, message } = event;
  switch (kind) {
    case 'progress':
      return undefined;
    case 'intent':
      return { text: tellIntent(message), tone: 'plain' };
    case 'operation':
      return { text: tellOperation(message, pod), tone: 'plain' };
    case 'pod': {
      const { state, because } = readPodMessage(message);
      // That it was started is an event of its own; until then all pods wait.
      if (because === undefined && (state === 'starting' || state === 'waiting')) return undefined;
      const tone = state === 'ready' ? 'good' : state === 'failed' ? 'bad' : 'plain';
      return { text: `${pod} is ${state}`, tone, ...(because !== undefined && { detail: because }) };
    }
    case 'state':
      return tellState(message);
    case 'fault':
      return { text: capitalised(message), tone: 'bad' };
  }
}

/** `starting: port 3000 refuses connections`. */
export function readPodMessage(message: string): { state: string; because?: string } {
  const [, state, because] = /^(\w+)(?:: ([\s\S]*))?$/.exec(message) ?? [];
  return { state: state ?? message, ...(because !== undefined && { because }) };
}

/** The revision that an intent asks for; undefined for every other intent. */
export function revisionAskedFor({ kind, message }: DeploymentEvent): number | undefined {
  if (kind !== 'intent') return undefined;
  const revision = message === 'started' ? 1 : Number(/^updated to revision (\d+)$/.exec(message)?.[1]);
  return Number.isNaN(revision) ? undefined : revision;
}

export function isLive({ kind, message }: DeploymentEvent): boolean {
  return kind === 'state' && /^revision \d+ is running$/.test(message);
}

export function isFailure({ kind, message }: DeploymentEvent): boolean {
  return kind === 'state' && message.startsWith('failed: ');
}

/** Nothing comes after it but the clearing away. */
export function isEnd({ kind, message }: DeploymentEvent): boolean {
  return kind === 'state' && (message === 'removed' || message === 'its time limit is reached');
}

function tellIntent(message: string): string {
  const known: Record<string, string> = {
    started: 'Deployment asked for',
    extended: 'Time limit extended',
    removed: 'Removal asked for',
    claimed: 'Claimed',
  };
  const update = /^updated to (revision \d+)$/.exec(message)?.[1];
  return update ? `Update to ${update} asked for` : (known[message] ?? capitalised(message));
}

/** `start berth-<deployment>-<pod>-<revision>-<replica>, <because>`. */
function tellOperation(message: string, pod: string | undefined): string {
  const [operation = '', because = ''] = message.split(/, (?=[^,]*$)/);
  const [verb = '', ...rest] = operation.split(' ');
  const object = rest.join(' ');
  switch (verb) {
    case 'create-network':
      return 'Network made';
    case 'remove-network':
      return 'Network removed';
    case 'create-volume':
      return `Volume ${object} made`;
    case 'grow-volume':
      return `Volume ${object} grown ${because}`;
    case 'remove-volume':
      return `Volume removed`;
    case 'check':
      return `Tags of ${rest.join(', ')} looked up`;
    case 'pull':
      return `Image ${object} downloaded`;
    case 'start':
      return `${pod ?? podOf(object)} started`;
    case 'remove':
      return `${podOf(object)} of revision ${revisionOf(object)} stopped`;
    case 'route':
      return object === 'nothing' ? 'The address leads nowhere any more' : `The address leads to ${because}`;
    case 'drain':
      return 'Requests under way have ended';
    default:
      return capitalised(message);
  }
}

function tellState(message: string): Telling {
  if (message.startsWith('failed: ')) {
    const [first = '', ...lines] = message.slice('failed: '.length).split('\n');
    return { text: `Failed: ${first}`, tone: 'bad', ...(lines.length > 0 && { detail: lines.join('\n') }) };
  }
  const live = /^(revision \d+) is running$/.exec(message)?.[1];
  return live ? { text: `${capitalised(live)} is live`, tone: 'good' } : { text: capitalised(message), tone: 'plain' };
}

const workload = /^berth-[^-]+-(.+)-(\d+)-\d+$/;

function podOf(name: string): string {
  return workload.exec(name)?.[1] ?? name;
}

function revisionOf(name: string): string {
  return workload.exec(name)?.[2] ?? '?';
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
