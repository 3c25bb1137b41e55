import type { Endpoint } from '@octavo/schema';
import { contracts } from '@octavo/schema';
import { platform } from '../support/platform.ts';

/**
 * Lists whose items cannot be read individually: tokens, notifications, favorites, page trees, links, parts of sites,
 * ratings, search results (see security/parity). The trash is compared in content/trash.
 */
const withoutSingles = new Set([
  ...['listUserTokens', 'listUserSessions', 'listServiceAccountTokens', 'listSSOProviderLoginsInOrganization'],
  ...['listNotifications', 'listFavorites', 'listRecents'],
  ...['listPages', 'listPagesInChangeRequest', 'listPagesInRevisionById', 'listComputedPages'],
  ...['listSpaceLinks', 'listPageLinksInSpace', 'listPageLinksInChangeRequest'],
  ...['listSpaceLinkLocations', 'listChangeRequestLinkLocations'],
  ...['listSpaceFileBacklinks', 'listChangeRequestFileBacklinks'],
  ...['searchSpaceContent', 'searchChangeRequestContent', 'searchOrganizationContent', 'suggestOrganizationContent'],
  ...['listSiteSections', 'listSiteSectionGroups', 'listSiteSpaces', 'listSiteShareLinks'],
  ...['listSiteFeedback', 'listSiteFeedbackByPage'],
  ...['listDeletedSpacesInOrganization', 'listDeletedContent'],
  'listSiteAdaptiveTemplateConditions',
  'listOrganizationIntegrationsStatus',
]);

const isList = ({ method, response }: Endpoint) =>
  method === 'GET' && Object.hasOwn((response as { shape?: object } | undefined)?.shape ?? {}, 'items');

/** The lists of the API whose items can be read individually. */
export const lists = Object.values(contracts)
  .flatMap((contract) => Object.entries(contract as Record<string, Endpoint>))
  .filter(([id, endpoint]) => isList(endpoint) && !withoutSingles.has(id));

/** Removes the signed URL, which changes every few minutes. */
export const removeSignatures = (value: unknown) => ({ ...(value as object), downloadURL: undefined });

const known = new Map<string, Promise<boolean>>();

/** Whether a path can be read and is not in the trash. The result is cached, so nothing may change in between. */
export function isListed(path: string, token: string): Promise<boolean> {
  const key = `${token} ${path}`;
  const isListed = known.get(key) ?? read(path, token);
  known.set(key, isListed);
  return isListed;
}

async function read(path: string, token: string): Promise<boolean> {
  const response = await platform().request(path, { token });
  return response.ok && !Object.hasOwn((await response.json()) as object, 'deletedAt');
}
