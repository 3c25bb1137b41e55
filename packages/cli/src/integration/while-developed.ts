import { setTimeout as wait } from 'node:timers/promises';
import { type ApiError, isApiError } from '@octavo/schema';
import type { Api } from '../api.ts';
import { explainFailure, Failure } from '../failure.ts';
import { ofIntegration } from './of-integration.ts';

/** Events come here for so long; the platform takes them back by itself from a command that was killed. */
const seconds = 120;
const renewedAfterMilliseconds = 30_000;

interface Developed {
  api: Api;
  integrationName: string;
  tunnelUrl: string;
  onNotRenewed(why: string): void;
  everyMilliseconds?: number;
}

/** Has the events of an integration sent to an address while something is done. */
export async function whileDeveloped(developed: Developed, work: () => Promise<void>): Promise<void> {
  const { api, integrationName, tunnelUrl } = developed;
  const params = { integrationName };
  const set = () => api.setIntegrationDevelopmentMode({ params, body: { tunnelUrl, seconds } });
  await ofIntegration(integrationName, set).catch((error: unknown) => {
    throw isRefused(error) ? new Failure(refusalOf(error, tunnelUrl)) : error;
  });
  const end = new AbortController();
  const renewed = keepSetting(set, developed, end.signal);
  await work().finally(async () => {
    end.abort();
    await renewed;
    await api.disableIntegrationDevelopmentMode({ params });
  });
}

const isRefused = (error: unknown): error is ApiError =>
  isApiError(error) && error.issues?.some(({ path }) => path === 'body.tunnelUrl') === true;

/** A platform that takes no addresses of its own network is told so, or given another one. */
const refusalOf = ({ issues = [] }: ApiError, tunnelUrl: string): string =>
  `The server does not send events to ${tunnelUrl}, which ${issues[0]?.message}: start it with ` +
  'OCTAVO_IMPORT_ALLOW_PRIVATE=1, or give another address by which it reaches this machine as --tunnel.';

async function keepSetting(
  set: () => Promise<unknown>,
  { onNotRenewed, everyMilliseconds = renewedAfterMilliseconds }: Developed,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await wait(everyMilliseconds, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await set().catch((error: unknown) => onNotRenewed(explainFailure(error)));
  }
}
