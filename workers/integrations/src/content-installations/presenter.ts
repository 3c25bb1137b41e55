import type {
  InstallationStatus,
  IntegrationSiteInstallation,
  IntegrationSpaceInstallation,
  NewEvent,
  Site,
  Space,
} from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import { filterConfiguration, readConfiguration } from '../configuration/configuration.ts';
import type { InstallationView } from '../installations/presenter.ts';
import { getPublicEndpoints } from '../installations/presenter.ts';
import type { ContentInstallationRecord, ContentKind } from './queries.ts';
import { getSealOwner } from './queries.ts';

/** The API resource of an installation on each kind of content. */
export interface ContentInstallationShapes {
  space: IntegrationSpaceInstallation;
  site: IntegrationSiteInstallation;
}

/** Presents an installation on a space or a site; `content` is the expanded space or site. */
export async function presentContentInstallation<Kind extends ContentKind>(
  kind: Kind,
  record: ContentInstallationRecord,
  { env, urls, toPeople, content }: InstallationView & { content?: Space | Site | undefined },
): Promise<ContentInstallationShapes[Kind]> {
  const { installation, place, integration, status, externalIds, configurations } = record;
  const configuration = await readConfiguration(env, getSealOwner(installation, place), record.configuration);
  const path = `/integrations/${integration}/installations/${installation}/${kind}s/${place}`;
  const presented = {
    ...{ integration, installation, status, externalIds },
    configuration: filterConfiguration(configurations?.[kind], configuration, toPeople),
    createdAt: formatTimestamp(record.createdAt),
    updatedAt: formatTimestamp(record.updatedAt),
    urls: { location: urls.location(path), ...getPublicEndpoints(path, urls) },
    [kind]: content ?? place,
  };
  return presented as unknown as ContentInstallationShapes[Kind];
}

/** Returns the event of a created or deleted installation on a space or a site. */
export function createInstallationEvent(
  kind: ContentKind,
  action: 'created' | 'deleted',
  record: Pick<ContentInstallationRecord, 'installation' | 'integration' | 'status' | 'organization' | 'place'>,
): NewEvent {
  const { installation, integration, status, organization, place } = record;
  const data = { installation, integration, status };
  return kind === 'space'
    ? { type: `space_installation.${action}`, organization, space: place, data }
    : { type: `site_installation.${action}`, organization, data: { ...data, site: place } };
}

/** Returns the event of a changed installation on a space or a site. */
export function createChangeEvent(
  kind: ContentKind,
  record: Pick<ContentInstallationRecord, 'installation' | 'integration' | 'status' | 'organization' | 'place'>,
  previous: InstallationStatus,
): NewEvent {
  const { installation, integration, status, organization, place } = record;
  const data = { installation, integration, status, previous };
  return kind === 'space'
    ? { type: 'space_installation.updated', organization, space: place, data }
    : { type: 'site_installation.updated', organization, data: { ...data, site: place } };
}
