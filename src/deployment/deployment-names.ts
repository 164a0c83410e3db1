/** Deterministic names, so that a repeated step finds the result of the first attempt. */
import { createHash, randomInt } from 'node:crypto';
import type { Deployment } from './deployment.ts';

/** RFC 1035: a DNS label has at most 63 octets. */
const maxLabelLength = 63;

/** `restart`: how often its owner has restarted the pod. */
export function workloadName(
  deploymentId: string,
  pod: string,
  { revision, replica, restart }: { revision: number; replica: number; restart: number },
): string {
  const name = `berth-${deploymentId}-${pod}-${revision}-${replica}`;
  return restart === 0 ? name : `${name}-r${restart}`;
}

/** Two words, e.g. `jolly-tapir`. */
export function newEnvironment(pick: (count: number) => number = randomInt): string {
  return `${adjectives[pick(adjectives.length)]}-${animals[pick(animals.length)]}`;
}

/**
 * Returns `<environment>-<application>` as one DNS label. Dots become hyphens. A name that is too long is cut and gets
 * a hash of the whole name, so that similar names differ.
 */
export function hostLabel(environment: string, applicationName: string): string {
  const label = `${environment}-${applicationName.replaceAll('.', '-')}`;
  if (label.length <= maxLabelLength) return label;
  const hash = createHash('sha256').update(applicationName).digest('hex').slice(0, 8);
  return `${label.slice(0, maxLabelLength - hash.length - 1).replace(/-+$/, '')}-${hash}`;
}

/** Returns the path of the deployment's page in the dashboard. */
export function dashboardPath({
  environment,
  applicationName,
}: Pick<Deployment, 'environment' | 'applicationName'>): string {
  return `/d/${[environment, applicationName].map(encodeURIComponent).join('/')}`;
}

/** The words of an environment: short, friendly, and easy to say on the phone. */

const adjectives = (
  'able agile airy amber ample apt artful avid balmy blithe blue bold brave breezy bright brisk calm candid cheery ' +
  'chief civic clean clear clever coral cosy crisp curious dapper daring deft dewy eager early earnest easy elated ' +
  'even fair fancy fast fine fleet fluent fond frank free fresh frosty gentle gifted glad golden grand green handy ' +
  'happy hardy hearty honest humble ideal jaunty jolly jovial joyful keen kind lavish light limber lively loyal lucid ' +
  'lucky lunar mellow merry mighty mild mint modest neat nimble noble novel olive open patient peachy plucky polite ' +
  'prime proud quick quiet rapid rare ready regal robust rosy royal ruby sage sandy serene sharp silver simple sleek ' +
  'smart smooth snowy snug solar solid spry steady still sturdy sunny super sure swift tidy tranquil true trusty ' +
  'upbeat valiant velvet vivid warm wise witty young zesty'
).split(' ');

const animals = (
  'alpaca ant antelope badger beaver bee bison bobcat buffalo bunny camel canary caribou cat cheetah chinchilla civet ' +
  'cod condor corgi cougar coyote crane cricket crow cub deer dingo dodo dolphin donkey dove duck eagle egret eland ' +
  'elk emu ermine falcon fawn ferret finch firefly fox frog gannet gazelle gecko gerbil gibbon giraffe gnu goat goose ' +
  'gopher grouse gull hamster hare hawk hen heron hippo hornet horse hyena ibex ibis iguana impala jackal jaguar jay ' +
  'kestrel kiwi koala kudu lark lemur leopard lion lizard llama lobster lynx macaw magpie mallard manatee marmot ' +
  'marten meerkat mink mole moose moth mouse mule newt ocelot okapi orca oriole osprey ostrich otter owl ox panda ' +
  'panther parrot pelican penguin pheasant pigeon plover pony puffin puma quail quokka rabbit raccoon raven robin ' +
  'salmon seal serval shrew skunk sloth snail sparrow squid stork swan swift tapir tern thrush tiger toad toucan ' +
  'trout turtle viper vole walrus weasel whale wolf wombat wren yak zebra'
).split(' ');
