export type Ids = Record<string, string>;
export type Item = Record<string, unknown> & { id?: string };

/** How to read a list item individually. `known` returns the paths of all objects that the list may contain. */
export interface Single {
  path(item: Item, ids: Ids): string;
  /** The part of a list item that a single read returns. Defaults to the whole item. */
  part?(item: Item): unknown;
  /**
   * Returns the paths of all objects that the list must contain if they can be read. Undefined if the caller can read
   * objects that the list does not contain.
   */
  known?(ids: Ids): string[];
  query?: string;
  /** Guests who manage a team or content see its other users in lists, but cannot read them as members. */
  notForGuests?: true;
  /** The single read returns more fields than the list. */
  tellsMore?: true;
}

export const at = (id: string) => (item: Item) => `${id}/${String(item.id)}`;
export const getId = (value: unknown) => (value as { id: string }).id;

export const organizationPath = ({ organizationId }: Ids) => `/v1/orgs/${organizationId}`;
export const nested = (name: string): Single => ({ path: (item, ids) => at(`${organizationPath(ids)}/${name}`)(item) });

export const ofSpace = (path: (ids: Ids) => string): Single => ({
  path: (item, ids) => at(`/v1/spaces/${ids.spaceId}/${path(ids)}`)(item),
});

export const ofUsers: Single = {
  notForGuests: true,
  path: ({ user }) => `/v1/users/${getId(user)}`,
  part: ({ user }) => user,
};

export const ofTeams: Single = {
  notForGuests: true,
  path: ({ team }, ids) => `${organizationPath(ids)}/teams/${getId(team)}`,
  part: ({ team }) => team,
};

export const ofComments: Record<string, Single> = {
  listCommentsInSpace: ofSpace(() => 'comments'),
  listCommentsInChangeRequest: ofSpace(({ changeRequestId }) => `change-requests/${changeRequestId}/comments`),
  listCommentRepliesInSpace: ofSpace(({ commentId }) => `comments/${commentId}/replies`),
  listCommentRepliesInChangeRequest: {
    path: (item, { spaceId, changeRequestId, commentId }) =>
      at(`/v1/spaces/${spaceId}/change-requests/${changeRequestId}/comments/${commentId}/replies`)(item),
  },
  listCommentersInSpace: nested('members'),
  listCommentersInChangeRequest: nested('members'),
};

const ofIntegration: Single = { path: ({ name }) => `/v1/integrations/${String(name)}` };

/** The lists of sites, specifications and integrations. */
export const ofSites: Record<string, Single> = {
  listSites: nested('sites'),
  listIntegrations: ofIntegration,
  listOrganizationIntegrations: ofIntegration,
  listSpaceIntegrations: ofIntegration,
  listSiteIntegrations: ofIntegration,
  listSiteRedirects: {
    path: (item, ids) => at(`${organizationPath(ids)}/sites/${ids.siteId}/redirects`)(item),
  },
  listOpenAPISpecs: { path: (item, ids) => `${organizationPath(ids)}/openapi/${String(item.slug)}` },
  listOpenAPISpecVersions: {
    path: (item, ids) => at(`${organizationPath(ids)}/openapi/${ids.specSlug}/versions`)(item),
  },
};

const byLocation: Single = {
  path: ({ urls }) => new URL(String((urls as { location: string }).location)).pathname,
};

/** The lists of installations, whose items name their targets. */
export const ofInstallations: Record<string, Single> = {
  listIntegrationInstallations: byLocation,
  listIntegrationEvents: {
    path: (item, { integrationName }) => at(`/v1/integrations/${integrationName}/events`)(item),
    part: (event) => ({ event }),
    tellsMore: true,
  },
  listIntegrationInstallationSpaces: byLocation,
  listIntegrationInstallationSites: byLocation,
  listIntegrationSpaceInstallations: byLocation,
  listIntegrationSiteInstallations: byLocation,
  listOrganizationInstallations: {
    path: ({ installation }) => byLocation.path(installation as Item, {}),
    part: ({ installation }) => installation,
  },
};

export const ofWebhooks: Record<string, Single> = {
  listWebhooks: nested('webhooks'),
  listWebhookDeliveries: {
    path: (item, ids) => at(`${organizationPath(ids)}/webhooks/${ids.webhookId}/deliveries`)(item),
    tellsMore: true,
  },
};

/** The lists of people and teams with access. */
export const ofPermissions: Record<string, Single> = {
  listUserPermissionsInSpace: ofUsers,
  listUserPermissionsInCollection: ofUsers,
  listPermissionsAggregateInSpace: ofUsers,
  listPermissionsAggregateInCollection: ofUsers,
  listTeamPermissionsInSpace: ofTeams,
  listTeamPermissionsInCollection: ofTeams,
};

/** The lists of files, and of the participants of a change request. */
export const ofContent: Record<string, Single> = {
  listFiles: ofSpace(() => 'content/files'),
  listFilesInChangeRequestById: ofSpace(({ changeRequestId }) => `change-requests/${changeRequestId}/content/files`),
  listFilesInRevisionById: ofSpace(({ revisionId }) => `revisions/${revisionId}/files`),
  getReviewsByChangeRequestId: ofSpace(({ changeRequestId }) => `change-requests/${changeRequestId}/reviews`),
  getRequestedReviewersByChangeRequestId: ofUsers,
  getContributorsByChangeRequestId: ofUsers,
};

/** The other lists of an organization. */
export const ofOrganization: Record<string, Single> = {
  listSAMLProvidersInOrganizationById: nested('saml'),
  listTranslationSettings: nested('translations'),
  listTranslationLanguages: {
    path: (item, ids) =>
      `${organizationPath(ids)}/translations/${ids.translationSettingsId}/languages/${String(item.language)}`,
  },
  listServiceAccounts: nested('members'),
  listOrganizationAuditEvents: { ...nested('audit-events'), tellsMore: true },
};
