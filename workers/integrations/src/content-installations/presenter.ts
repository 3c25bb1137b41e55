import type {
  InstallationStatus,
  IntegrationSiteInstallation,
  IntegrationSpaceInstallation,
  NewEvent,
  Site,
  Space,
} from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { readConfiguration, shownConfiguration } from '../configuration/configuration.ts';
import type { InstallationView } from '../installations/presenter.ts';
import { publicEndpoints } from '../installations/presenter.ts';
import type { PlacedRecord, PlaceKind } from './queries.ts';
import { placeOwner } from './queries.ts';

/** The API resource of each kind of place. */
export interface PlacedShapes {
  space: IntegrationSpaceInstallation;
  site: IntegrationSiteInstallation;
}

/** Presents an installation on a space or a site; `whole` is the expanded space or site. */
export async function presentPlaced<Kind extends PlaceKind>(
  kind: Kind,
  record: PlacedRecord,
  { env, urls, toPeople, whole }: InstallationView & { whole?: Space | Site | undefined },
): Promise<PlacedShapes[Kind]> {
  const { installation, place, integration, status, externalIds, configurations } = record;
  const configuration = await readConfiguration(env, placeOwner(installation, place), record.configuration);
  const path = `/integrations/${integration}/installations/${installation}/${kind}s/${place}`;
  const shown = {
    ...{ integration, installation, status, externalIds },
    configuration: shownConfiguration(configurations?.[kind], configuration, toPeople),
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    urls: { location: urls.location(path), ...publicEndpoints(path, urls) },
    [kind]: whole ?? place,
  };
  return shown as unknown as PlacedShapes[Kind];
}

/** Returns the event of a created or deleted installation on a space or a site. */
export function placedEvent(
  kind: PlaceKind,
  what: 'created' | 'deleted',
  record: Pick<PlacedRecord, 'installation' | 'integration' | 'status' | 'organization' | 'place'>,
): NewEvent {
  const { installation, integration, status, organization, place } = record;
  const data = { installation, integration, status };
  return kind === 'space'
    ? { type: `space_installation.${what}`, organization, space: place, data }
    : { type: `site_installation.${what}`, organization, data: { ...data, site: place } };
}

/** Returns the event of a changed installation on a space or a site. */
export function changedEvent(
  kind: PlaceKind,
  record: Pick<PlacedRecord, 'installation' | 'integration' | 'status' | 'organization' | 'place'>,
  previous: InstallationStatus,
): NewEvent {
  const { installation, integration, status, organization, place } = record;
  const data = { installation, integration, status, previous };
  return kind === 'space'
    ? { type: 'space_installation.updated', organization, space: place, data }
    : { type: 'site_installation.updated', organization, data: { ...data, site: place } };
}
