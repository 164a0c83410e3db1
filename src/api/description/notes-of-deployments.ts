/** PURE. What the description says of operations on deployments, by `operationId`. */
import type { OperationNote } from './operation-note.ts';
import { refusalsOfAdmission, refusalsOfApplications, refusalsOfDocuments } from './refusals.ts';

const inPath =
  'The token is part of the path, for clients that send it this way. Prefer `Authorization: Bearer`, which fewer logs record.';
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
      'Deploys the application of the configuration. Without a token, it creates a session; only this response contains the token. The response comes immediately. `GET /getDeploymentStatus` reports when the application runs.',
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
      'Creates a session without deployments, for users who push images before they start deployments. Only this response contains the token. The session ends if nothing is started with the token within an hour.',
    refusals: ['banned'],
  },
  updateDeployment: {
    tag: 'deployments',
    access: 'caller',
    description:
      'Applies the configuration to the deployment with the same application name. The URL and the volumes stay. The current revision serves until the new one is ready.',
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
    description: 'Returns what an update with this configuration would do to each pod. Changes nothing.',
    refusals: [...refusalsOfDocuments, ...refusalsOfApplications],
  },
  getDeploymentRevisions: {
    tag: 'deployments',
    access: 'caller',
    description:
      'Returns the kept revisions, the newest first. `GET /getDeploymentConfiguration` returns the document of each.',
    refusals: refusalsOfApplications,
  },
  rollbackDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Updates the deployment with the document of an earlier revision, which becomes the next revision. Volumes keep their current data. With `dryRun=true`, the response contains what would happen to each pod.',
    refusals: [...update, ...refusalsOfSnapshots, 'revision_not_found'],
  },
  extendDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description: 'Extends the time limit of a deployment without an account. The number of extensions is limited.',
    refusals: [...refusalsOfApplications, 'extension_limit_reached', 'already_claimed'],
  },
  restoreDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Restores an expired or removed deployment with its volumes at the same address, until `restorableUntil` of its status. The session token stays the same. The deployment gets the rest of its time, at least 10 minutes. The restore counts as an extension. Without an extension left, one restore is possible.',
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
      'Stops and removes the containers of all pods. The address, the volumes, the time limit, and the use of limits stay. Stopping a stopped application has no effect. An update starts it again.',
    refusals: [...refusalsOfApplications, 'application_suspended'],
  },
  startApplication: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Starts the pods of a stopped application with their volumes. Starting a running application has no effect.',
    refusals: [...refusalsOfApplications, 'application_suspended', 'banned', 'image_banned'],
  },
  restartPod: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Restarts a pod from the same image and configuration. The new pod is ready before the old pod is removed; a pod with volumes stops first. While the pod waits to be started, another request has no effect.',
    refusals: [...refusalsOfApplications, 'application_stopped', 'application_suspended', 'invalid_request'],
  },
  execInPod: {
    tag: 'deployments',
    access: 'caller in body',
    description:
      'Runs a program of the image in the container of the pod, with the same user, variables, limits, and rights. Responds when the program has ended. The program ends if the client disconnects. The operator decides where this is allowed; by default, in claimed deployments. The service records the caller, time, pod, and program for the operator. For a terminal or a long-running program, use the WebSocket `/openTerminal`.',
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
    description: 'Returns the share link of the deployment, if it has one.',
    refusals: [...refusalsOfApplications, 'share_not_found'],
  },
  shareDeployment: {
    tag: 'status',
    access: 'caller in body',
    description:
      'Creates a link with a random address. Everyone with the link sees the name, URL, state, time limit, and the pods with their states, but no configuration, logs, reasons, or tokens. An existing link is returned again.',
    refusals: refusalsOfApplications,
  },
  unshareDeployment: {
    tag: 'status',
    access: 'caller in body',
    description: 'The link stops working. The next share link has another address.',
    refusals: refusalsOfApplications,
  },
  getSharedStatus: {
    tag: 'status',
    access: 'public',
    description: 'Returns the content of the page behind a share link.',
    refusals: ['share_not_found'],
  },
  claimDeployment: {
    tag: 'deployments',
    access: 'caller in body',
    description: 'Creates a link at which a user with an account claims the deployment, so that it no longer expires.',
    refusals: [...refusalsOfApplications, 'already_claimed'],
  },
  getDeploymentStatus: {
    tag: 'status',
    access: 'caller',
    description: 'Returns the current state of the deployment and of each pod.',
    refusals: refusalsOfApplications,
  },
  getDeploymentEvents: {
    tag: 'status',
    access: 'caller',
    description: 'Returns all events so far, then new events as they happen. The stream resumes after `Last-Event-ID`.',
    refusals: refusalsOfApplications,
  },
  exportDeployment: {
    tag: 'deployments',
    access: 'caller',
    description:
      'Returns a tar with the configuration, a Compose file, Kubernetes manifests, the contents of the volumes, pushed images as an OCI layout, and scripts that start the application without Berth. The volumes are copied at the same instant; if not, its `README.md` says so. The stream waits for a slow client.',
    refusals: [...refusalsOfApplications, 'snapshot_under_way', 'engine_unreachable', 'capacity_exhausted'],
  },
  getDeploymentLogs: {
    tag: 'status',
    access: 'caller',
    description:
      'Returns the lines of all pods, or of one pod, without the secrets of the configuration. With `follow`, new lines too.',
    refusals: [...refusalsOfApplications, 'engine_unreachable'],
  },
  getDeploymentMetrics: {
    tag: 'status',
    access: 'caller',
    description:
      'Returns, for each pod, CPU, memory, limits, network traffic, restarts, and start time; for each volume, its use; for the site, requests, errors, and response times. Measured every 10 seconds.',
    refusals: refusalsOfApplications,
  },
  getDeploymentOutline: {
    tag: 'status',
    access: 'caller',
    description:
      'Returns the images, paths, ports, and volumes of the pods, and which pods use each other. Contains no values of the configuration.',
    refusals: refusalsOfApplications,
  },
  getDeploymentConfiguration: {
    tag: 'status',
    access: 'caller',
    description: 'Returns the document as it was sent, including secrets. `revision` selects an earlier revision.',
    refusals: [...refusalsOfApplications, 'revision_not_found'],
  },
  listDeployments: {
    tag: 'reservations',
    access: 'caller',
    description: 'Returns the active deployments of the session, or of all sessions of the account.',
  },
  addDeploymentReservation: {
    tag: 'reservations',
    access: 'caller in body',
    description: 'Keeps the deployment running past its time limit. The plan of its account must allow reservations.',
    refusals: [...refusalsOfApplications, 'plan_does_not_allow_reservations'],
  },
  releaseDeployment: {
    tag: 'reservations',
    access: 'caller in body',
    description:
      'Ends the hold of one deployment, which keeps running until its time limit and is removed after it. Has no effect on a deployment without a hold.',
    refusals: refusalsOfApplications,
  },
  removeDeploymentReservation: {
    tag: 'reservations',
    access: 'caller in body',
    description:
      'Removes the deployment with its site, with or without a hold. Its volumes are kept until `restorableUntil`, unless `forget` is set.',
    refusals: [...refusalsOfApplications, 'application_suspended'],
  },
  removeReservations: {
    tag: 'reservations',
    access: 'caller in body',
    description:
      'Ends the holds of all deployments. Deployments past their time limit are removed. The others keep running, and the response names them. `POST /removeDeploymentReservation` removes a deployment.',
  },
  validateConfig: {
    tag: 'configuration',
    access: 'optional',
    description: 'Returns all errors and warnings of the configuration with line, column, and often a fix.',
    refusals: ['unparsable_yaml'],
  },
  listTemplates: {
    tag: 'configuration',
    access: 'public',
    description: 'Each template is a complete application. `GET /getTemplate` returns its configuration.',
  },
  getTemplate: {
    tag: 'configuration',
    access: 'public',
    description: 'The configuration is valid on this service without changes.',
    refusals: ['template_not_found'],
  },
  fetchDocument: {
    tag: 'configuration',
    access: 'public',
    description:
      'For links that open a configuration in the dashboard (`/new?from=…`). The server fetches the address and returns the text. It deploys nothing. The address must use HTTPS and be on the public internet. The page of a file on GitHub or GitLab is resolved to the file itself.',
    refusals: ['document_unavailable'],
  },
  getConfigSchema: {
    tag: 'configuration',
    access: 'public',
    description: 'For editors and generators. The service also accepts Compose files.',
  },
};
