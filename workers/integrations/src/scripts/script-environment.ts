import type { Database } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { deriveTextFrom, unseal } from '@octavo/runtime';
import type { SiteId, SpaceId } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import { readConfiguration } from '../configuration/configuration.ts';
import { getSealOwner } from '../content-installations/queries.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { getPublicEndpoints, presentInstallation } from '../installations/presenter.ts';
import { presentIntegration } from '../integrations/presenter.ts';
import { createInstallationToken, createIntegrationToken } from '../tokens/tokens.ts';
import type { ScriptContentRecord, ScriptTarget } from './script-target.ts';

export interface ScriptContext {
  env: IntegrationsEnvironment;
  db: Database;
  urls: Urls;
}

type Installed = NonNullable<ScriptTarget['installed']>;

/** The environment of a script, with the secrets in it. */
interface CreatedEnvironment {
  environment: object;
  hidden: string[];
}

/** Minimum length of hidden values. Shorter values are not secret and occur in other texts. */
const minHiddenLength = 8;

const getTexts = (value: unknown): string[] => {
  if (typeof value === 'string') return value.length < minHiddenLength ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(getTexts) : [];
};

async function createInstallationPart({ env, urls }: ScriptContext, { installation }: Installed) {
  const { values: configuration } = await readConfiguration(env, installation.id, installation.configuration);
  const presented = await presentInstallation(installation, { env, urls, toPeople: false });
  return { ...presented, configuration };
}

/** Returns an installation on a space or a site as scripts receive it, with its complete configuration. */
async function presentForScript(
  { env, urls }: ScriptContext,
  { installation: { id, integration } }: Installed,
  { content, at: location }: { content: ScriptContentRecord; at: { space: SpaceId } | { site: SiteId } },
) {
  const [[kind, name] = ['', '']] = Object.entries(location);
  const path = `/integrations/${integration.name}/installations/${id}/${kind}s/${name}`;
  const { values: configuration } = await readConfiguration(env, getSealOwner(id, name), content.configuration);
  return {
    ...{ integration: integration.name, installation: id, ...location },
    ...{ status: content.status, externalIds: content.externalIds },
    configuration,
    createdAt: formatTimestamp(content.createdAt),
    updatedAt: formatTimestamp(content.updatedAt),
    urls: { location: urls.location(path), ...getPublicEndpoints(path, urls) },
  };
}

/** Derived from the installation's signing secret and not stored, so it does not depend on the server's secret. */
const deriveContentSecret = (signing: string, contentId: string): Promise<string> =>
  deriveTextFrom(signing, `signing secret on a place\n${contentId}`);

async function createInstalledParts(
  context: ScriptContext,
  installed: Installed,
  { target, depth }: { target: ScriptTarget; depth: number },
) {
  const { env } = context;
  const { onSpace, onSite } = target;
  const isActive = installed.installation.status !== 'paused';
  const signing = String(await unseal(env, installed.installation.id, installed.signingSecret));
  return {
    installation: await createInstallationPart(context, installed),
    spaceInstallation:
      onSpace && (await presentForScript(context, installed, { content: onSpace, at: { space: onSpace.space } })),
    siteInstallation:
      onSite && (await presentForScript(context, installed, { content: onSite, at: { site: onSite.site } })),
    signingSecrets: {
      installation: signing,
      ...(onSpace && { spaceInstallation: await deriveContentSecret(signing, onSpace.space) }),
      ...(onSite && { siteInstallation: await deriveContentSecret(signing, onSite.site) }),
    },
    token: isActive ? (await createInstallationToken(context, installed.installation, depth)).token : undefined,
  };
}

/** Returns the environment of a script, in the format of the official runtime. */
export async function createScriptEnvironment(
  context: ScriptContext,
  target: ScriptTarget,
  depth = 0,
): Promise<CreatedEnvironment> {
  const { env, urls } = context;
  const { visibleIntegration, hidden, installed } = target;
  const { name } = visibleIntegration.integration;
  const secrets = hidden.secrets === null ? {} : await unseal(env, name, hidden.secrets);
  const signing = String(await unseal(env, name, hidden.signingSecret));
  const { token: ownToken } = await createIntegrationToken(context, visibleIntegration.integration, depth);
  const parts = installed && (await createInstalledParts(context, installed, { target, depth }));
  const { token, signingSecrets, ...installations } = parts ?? {};
  const credentials = {
    secrets,
    signingSecret: signing,
    signingSecrets: { integration: signing, ...signingSecrets },
    authToken: token ?? ownToken,
    apiTokens: { integration: ownToken, ...(token === undefined ? {} : { installation: token }) },
  };
  const integration = presentIntegration(visibleIntegration, urls);
  const configurations = Object.values(installations).map((each) => each?.configuration);
  return {
    environment: { integration, ...installations, ...credentials, apiEndpoint: env.OCTAVO_PUBLIC_URL },
    hidden: [...new Set([...getTexts(credentials), ...getTexts(configurations)])],
  };
}
