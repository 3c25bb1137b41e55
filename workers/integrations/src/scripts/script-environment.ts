import type { Database } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { deriveTextFrom, unseal } from '@octavo/runtime';
import type { SiteId, SpaceId } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { readConfiguration } from '../configuration/configuration.ts';
import { placeOwner } from '../content-installations/queries.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { presentInstallation, publicEndpoints } from '../installations/presenter.ts';
import { presentIntegration } from '../integrations/presenter.ts';
import { installationToken, integrationToken } from '../tokens/tokens.ts';
import type { PlaceRecord, ScriptTarget } from './script-target.ts';

/** What calling a script takes of the platform. */
export interface ScriptContext {
  env: IntegrationsEnvironment;
  db: Database;
  urls: Urls;
}

type Installed = NonNullable<ScriptTarget['installed']>;

/** What a script is called with, and of that what nobody else may see. */
interface MadeEnvironment {
  environment: object;
  hidden: string[];
}

/** Values that are no secret by themselves, and stand in other words. */
const minHiddenLength = 8;

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return value.length < minHiddenLength ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

async function installationPart({ env, urls }: ScriptContext, { installation }: Installed) {
  const { values: configuration } = await readConfiguration(env, installation.id, installation.configuration);
  const shown = await presentInstallation(installation, { env, urls, toPeople: false });
  return { ...shown, configuration };
}

/** The installation on a space or a site, with its whole configuration. */
async function placePart(
  { env, urls }: ScriptContext,
  { installation: { id, integration } }: Installed,
  { place, at }: { place: PlaceRecord; at: { space: SpaceId } | { site: SiteId } },
) {
  const [[kind, name] = ['', '']] = Object.entries(at);
  const path = `/integrations/${integration.name}/installations/${id}/${kind}s/${name}`;
  const { values: configuration } = await readConfiguration(env, placeOwner(id, name), place.configuration);
  return {
    ...{ integration: integration.name, installation: id, ...at },
    ...{ status: place.status, externalIds: place.externalIds },
    configuration,
    createdAt: timestamp(place.createdAt),
    updatedAt: timestamp(place.updatedAt),
    urls: { location: urls.location(path), ...publicEndpoints(path, urls) },
  };
}

/**
 * The secret of an installation on a space or a site follows from the installation's own, and stands nowhere: so it
 * outlives the server's, and what was signed by it still verifies.
 */
const placeSecret = (signing: string, place: string): Promise<string> =>
  deriveTextFrom(signing, `signing secret on a place\n${place}`);

async function installedParts(
  context: ScriptContext,
  installed: Installed,
  { target, depth }: { target: ScriptTarget; depth: number },
) {
  const { env } = context;
  const { onSpace, onSite } = target;
  const isActive = installed.installation.status !== 'paused';
  const signing = String(await unseal(env, installed.installation.id, installed.signingSecret));
  return {
    installation: await installationPart(context, installed),
    spaceInstallation:
      onSpace && (await placePart(context, installed, { place: onSpace, at: { space: onSpace.space } })),
    siteInstallation: onSite && (await placePart(context, installed, { place: onSite, at: { site: onSite.site } })),
    signingSecrets: {
      installation: signing,
      ...(onSpace && { spaceInstallation: await placeSecret(signing, onSpace.space) }),
      ...(onSite && { siteInstallation: await placeSecret(signing, onSite.site) }),
    },
    token: isActive ? (await installationToken(context, installed.installation, depth)).token : undefined,
  };
}

/** What a script is called with, as the official runtime has it. */
export async function scriptEnvironment(
  context: ScriptContext,
  target: ScriptTarget,
  depth = 0,
): Promise<MadeEnvironment> {
  const { env, urls } = context;
  const { shown, hidden, installed } = target;
  const { name } = shown.integration;
  const secrets = hidden.secrets === null ? {} : await unseal(env, name, hidden.secrets);
  const signing = String(await unseal(env, name, hidden.signingSecret));
  const { token: own } = await integrationToken(context, shown.integration, depth);
  const parts = installed && (await installedParts(context, installed, { target, depth }));
  const { token, signingSecrets, ...installations } = parts ?? {};
  const credentials = {
    secrets,
    signingSecret: signing,
    signingSecrets: { integration: signing, ...signingSecrets },
    authToken: token ?? own,
    apiTokens: { integration: own, ...(token === undefined ? {} : { installation: token }) },
  };
  const integration = presentIntegration(shown, urls);
  const configurations = Object.values(installations).map((each) => each?.configuration);
  return {
    environment: { integration, ...installations, ...credentials, apiEndpoint: env.OCTAVO_PUBLIC_URL },
    hidden: [...new Set([...textsIn(credentials), ...textsIn(configurations)])],
  };
}
