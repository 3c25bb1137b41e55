import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ApiError, type Integration, IntegrationName, isApiError } from '@octavo/schema';
import type { Api } from '../api.ts';
import { explainFailure, Failure, getMessage } from '../failure.ts';
import { findOnlyOrganization } from '../spaces.ts';
import { buildScript, requireFetch } from './build-script.ts';
import type { FoundManifest } from './manifest.ts';

/** Calls the API for an integration. @throws Failure with the name of the integration if it does not exist */
export async function findByName<Value>(
  integrationName: string,
  call: (params: { integrationName: string }) => Promise<Value>,
): Promise<Value> {
  const createNotFoundError = () =>
    new Failure(`The integration "${integrationName}" does not exist. Run octavo integration publish to create it.`);
  if (!IntegrationName.safeParse(integrationName).success) throw createNotFoundError();
  return call({ integrationName }).catch((error: unknown) => {
    throw isApiError(error) && error.type === 'not_found' ? createNotFoundError() : error;
  });
}

/** Builds the script of a manifest and publishes the integration. */
export async function publishManifest(
  api: Api,
  foundManifest: FoundManifest,
  organization?: string,
): Promise<Integration> {
  const { name, envs: _envs, icon, previewImages, ...manifest } = foundManifest.manifest;
  const readManifestImage = (file: string) => readImage(path.resolve(path.dirname(foundManifest.file), file));
  const script = await buildScript(foundManifest);
  await requireFetch(script, manifest.script);
  const body = {
    ...manifest,
    runtime: 'v2' as const,
    script,
    organization: organization ?? manifest.organization ?? (await findOnlyOrganization(api, 'admin')).id,
    ...(icon !== undefined && { icon: await readManifestImage(icon) }),
    previewImages: await Promise.all(previewImages.map(readManifestImage)),
  };
  return api.publishIntegration({ params: { integrationName: name }, body });
}

async function readImage(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new Failure(`The image ${file} could not be read: ${getMessage(error)}.`);
  });
  return bytes.toString('base64');
}

/**
 * Duration of the development mode, in seconds, and the interval of its renewal. The mode ends by itself if the command
 * is killed.
 */
const seconds = 120;
const renewedAfterMilliseconds = 30_000;

interface Developed {
  api: Api;
  integrationName: string;
  tunnelUrl: string;
  onRenewalFailure(message: string): void;
  everyMilliseconds?: number;
}

/** Redirects the events of an integration to a tunnel URL while `work` runs. */
export async function runWhileDeveloped(session: Developed, work: () => Promise<void>): Promise<void> {
  const { api, integrationName, tunnelUrl } = session;
  const params = { integrationName };
  const setDevelopmentMode = () => api.setIntegrationDevelopmentMode({ params, body: { tunnelUrl, seconds } });
  await findByName(integrationName, setDevelopmentMode).catch((error: unknown) => {
    throw isRefused(error) ? new Failure(getRefusal(error, tunnelUrl)) : error;
  });
  const end = new AbortController();
  const renewal = keepSetting(setDevelopmentMode, session, end.signal);
  await work().finally(async () => {
    end.abort();
    await renewal;
    await api.disableIntegrationDevelopmentMode({ params });
  });
}

const isRefused = (error: unknown): error is ApiError =>
  isApiError(error) && error.issues?.some(({ path }) => path === 'body.tunnelUrl') === true;

/**
 * Explains why the server rejects the tunnel URL, for example because it is in a private network, and how to allow it
 * or use another URL.
 */
const getRefusal = ({ issues = [] }: ApiError, tunnelUrl: string): string =>
  `The server does not send events to ${tunnelUrl}, because the URL ${issues[0]?.message}. Start the server with ` +
  'OCTAVO_IMPORT_ALLOW_PRIVATE=1, or set --tunnel to another URL of this machine.';

async function keepSetting(
  set: () => Promise<unknown>,
  { onRenewalFailure, everyMilliseconds = renewedAfterMilliseconds }: Developed,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await wait(everyMilliseconds, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await set().catch((error: unknown) => onRenewalFailure(explainFailure(error)));
  }
}
