/** PURE. What the description says of operations on deployments, by `operationId`. */
import type { OperationNote } from './operation-note.ts';
import { refusalsOfAdmission, refusalsOfApplications, refusalsOfDocuments } from './refusals.ts';

const inPath =
  'The token is a part of the path, as some clients send it; it stays out of more logs as `Authorization: Bearer`.';
const start = [
  ...refusalsOfDocuments,
  ...refusalsOfAdmission,
  'application_exists',
  'idempotency_key_reused',
  'proof_of_work_required',
] as const;
const update = [
  ...refusalsOfDocuments,
  ...refusalsOfAdmission,
  ...refusalsOfApplications,
  'application_suspended',
] as const;

/** With `snapshot=true`, or where the owner wants one before each. */
const refusalsOfSnapshots = [
  'snapshots_not_offered',
  'snapshot_needs_claim',
  'snapshot_under_way',
  'volume_not_found',
] as const;

export const notesOfDeployments: Record<string, OperationNote> = {
  startDeployment: {
    tag: 'deployments',
    access: 'optional',
    description:
      'Deploys the application of the configuration. Without a token it makes a session, whose token is in the answer, this once. The answer comes at once; `GET /getDeploymentStatus` tells when the application runs.',
    refusals: start,
  },
  startDeploymentInSession: {
    tag: 'deployments',
    access: 'optional',
    description: `As \`POST /startUserDeployment\`. ${inPath}`,
    exampleOf: 'startDeployment',
    refusals: start,
  },
  createSession: {
    tag: 'deployments',
    access: 'public',
    description:
      'Makes a session of which nothing runs yet: for who pushes images before starting what runs from them. Its token is in the answer, this once; it ends when nothing was started with it within an hour.',
    refusals: ['banned'],
  },
  updateDeployment: {
    tag: 'deployments',
    access: 'caller',
    description:
      'Applies the configuration to the deployment of the same application name. The URL stays, and so do volumes; the present revision serves until the new one is ready.',
    refusals: [...update, ...refusalsOfSnapshots],
  },
  updateDeploymentInSession: {
    tag: 'deployments',
    access: 'caller',
    description: `As \`POST /updateUserDeployment\`. ${inPath}`,
    exampleOf: 'updateDeployment',
    refusals: [...update, ...refusalsOfSnapshots],
  },
  previewUpdate: {
    tag: 'deployments',
    access: 'caller',
    description: 'Tells what an update with this configuration would do to each pod, and changes nothing.',
    refusals: [...refusalsOfDocuments, ...refusalsOfApplications],
  },
  getDeploymentRevisions: {
    tag: 'deployments',
    access: 'caller',
    description:
      'The revisions that are kept, the last one first. `GET /getDeploymentConfiguration` has the document of each.',
    refusals: refusalsOfApplications,
  },
  rollbackDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'An update with the document of an earlier revision; it becomes the next revision. Volumes keep what they have since. With `dryRun=true` the answer says what would be done to each pod.',
    refusals: [...update, ...refusalsOfSnapshots, 'revision_not_found'],
  },
  extendDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description: 'Moves the time limit of a deployment without an account. How often is limited.',
    refusals: [...refusalsOfApplications, 'extension_limit_reached', 'already_claimed'],
  },
  restoreDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Brings back what has expired or was removed, with its volumes, at the same address, as long as `restorableUntil` of its status says. Its session token is the one from before. It lives for what was left of its time, 10 minutes at least, which counts as an extension; without any left, once more.',
    refusals: [
      ...refusalsOfApplications,
      ...refusalsOfAdmission,
      'application_exists',
      'extension_limit_reached',
      'invalid_configuration',
    ],
  },
  stopApplication: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Stops and removes the containers of all pods. The address, the volumes, the time limit and what it counts of limits stay. One that is stopped stays so, and an update starts it again.',
    refusals: [...refusalsOfApplications, 'application_suspended'],
  },
  startApplication: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Starts the pods of an application that was stopped, with the volumes that they had. One that is not stopped stays as it is.',
    refusals: [...refusalsOfApplications, 'application_suspended', 'banned', 'image_banned'],
  },
  restartPod: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Starts a pod anew from the same image and configuration. The new one is ready before the old one goes; a pod with volumes stops first. While the pod waits to be started, another request changes nothing.',
    refusals: [...refusalsOfApplications, 'application_stopped', 'application_suspended', 'invalid_request'],
  },
  execInPod: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Runs a program of the image beside what the pod runs for, with the same user, variables, limits and rights, and answers when it has ended. It ends when the client goes. Only where the operator allows it: without a word, in claimed deployments. Each is noted for the operator: who, when, where, and which program. For a terminal, or for what takes longer, there is the WebSocket `/openTerminal`.',
    refusals: [
      ...refusalsOfApplications,
      'exec_not_allowed',
      'pod_not_running',
      'command_not_started',
      'invalid_request',
      'engine_unreachable',
    ],
  },
  getShareLink: {
    tag: 'status',
    access: 'caller',
    description: 'The address at which others see how the deployment does, where there is one.',
    refusals: [...refusalsOfApplications, 'share_not_found'],
  },
  shareDeployment: {
    tag: 'status',
    access: 'caller in body',
    description:
      'Makes an address that nobody can guess, at which anybody who has it sees name, URL, state, time limit and the pods with their states, and nothing else: no configuration, logs, reasons or tokens. One that there is already is answered again.',
    refusals: refusalsOfApplications,
  },
  unshareDeployment: {
    tag: 'status',
    access: 'caller in body',
    description: 'Whoever has the address sees nothing any more. The next one is another.',
    refusals: refusalsOfApplications,
  },
  getSharedStatus: {
    tag: 'status',
    access: 'public',
    description: 'What the page of a share link shows.',
    refusals: ['share_not_found'],
  },
  claimDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description: 'Makes a link at which somebody with an account takes the deployment over, so that it stops expiring.',
    refusals: [...refusalsOfApplications, 'already_claimed'],
  },
  getDeploymentStatus: {
    tag: 'status',
    access: 'caller',
    description: 'The deployment as it is now, with the state of each pod.',
    refusals: refusalsOfApplications,
  },
  getDeploymentEvents: {
    tag: 'status',
    access: 'caller',
    description: 'All events so far, then those that come. The stream resumes after `Last-Event-ID`.',
    refusals: refusalsOfApplications,
  },
  exportDeployment: {
    tag: 'deployments',
    access: 'caller',
    description:
      'A tar with the configuration, a Compose file and Kubernetes manifests, the contents of the volumes as they are at one instant (where each is of an instant of its own, its `README.md` says so), pushed images as an OCI layout, and scripts that start it without Berth. It is written as fast as it is read.',
    refusals: [...refusalsOfApplications, 'snapshot_under_way', 'engine_unreachable', 'capacity_exhausted'],
  },
  getDeploymentLogs: {
    tag: 'status',
    access: 'caller',
    description:
      'Lines of all pods, or of one, without the secrets of the configuration; those that come, with `follow`.',
    refusals: [...refusalsOfApplications, 'engine_unreachable'],
  },
  getDeploymentMetrics: {
    tag: 'status',
    access: 'caller',
    description:
      'Of each pod the processor and memory that it uses against its limits, the network, its restarts and since when it runs; how full volumes are; of the site requests, errors and how long answers took. Measured every 10 seconds.',
    refusals: refusalsOfApplications,
  },
  getDeploymentOutline: {
    tag: 'status',
    access: 'caller',
    description:
      'Images, paths, ports and volumes of the pods, and which pod uses which. No value of the configuration.',
    refusals: refusalsOfApplications,
  },
  getDeploymentConfiguration: {
    tag: 'status',
    access: 'caller',
    description: 'The document as it was sent, secrets and all; of an earlier revision with `revision`.',
    refusals: [...refusalsOfApplications, 'revision_not_found'],
  },
  listDeployments: {
    tag: 'reservations',
    access: 'caller',
    description: 'The active deployments of the session, or of all sessions of the account.',
  },
  addDeploymentReservation: {
    tag: 'reservations',
    access: 'caller in body',
    description: 'Holds the deployment beyond its time limit. The plan of its account has to allow that.',
    refusals: [...refusalsOfApplications, 'plan_does_not_allow_reservations'],
  },
  releaseDeployment: {
    tag: 'reservations',
    access: 'caller in body',
    description:
      'Ends the hold of one deployment. It keeps running until its time limit; past that it goes. One that is not held stays as it is.',
    refusals: refusalsOfApplications,
  },
  removeDeploymentReservation: {
    tag: 'reservations',
    access: 'caller in body',
    description:
      'Removes the deployment with its site, whether it is held or not. Its volumes are kept until `restorableUntil`, unless `forget` is set.',
    refusals: [...refusalsOfApplications, 'application_suspended'],
  },
  removeReservations: {
    tag: 'reservations',
    access: 'caller in body',
    description:
      'Ends the holds of all deployments. What is past its time limit is removed; everything else runs on, and the answer names it. `POST /removeDeploymentReservation` removes a deployment.',
  },
  validateConfig: {
    tag: 'configuration',
    access: 'optional',
    description: 'Everything that is wrong or odd in the configuration, with line, column and often a correction.',
    refusals: ['unparsable_yaml'],
  },
  listTemplates: {
    tag: 'configuration',
    access: 'public',
    description: 'Each is a whole application; `GET /getTemplate` has its configuration.',
  },
  getTemplate: {
    tag: 'configuration',
    access: 'public',
    description: 'The configuration is valid here as it is. What is deployed from it is deployed like any other.',
    refusals: ['template_not_found'],
  },
  fetchDocument: {
    tag: 'configuration',
    access: 'public',
    description:
      'For links that open a configuration in the dashboard (`/new?from=…`). The server asks the address, which has to have HTTPS and be on the public internet, and answers the text; nothing is deployed. A page of a file on GitHub or GitLab stands for the file.',
    refusals: ['document_unavailable'],
  },
  getConfigSchema: {
    tag: 'configuration',
    access: 'public',
    description: 'For editors and generators. Compose files are accepted besides.',
  },
};
