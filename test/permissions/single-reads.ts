export type Ids = Record<string, string>;
export type Item = Record<string, unknown> & { id?: string };

/** Describes how the items of a list are read individually. */
export interface Single {
  path(item: Item, ids: Ids): string;
  /** The part of a list item that a single read returns. Defaults to the whole item. */
  selectPart?(item: Item): unknown;
  /**
   * Returns the paths of all objects that the list must contain if they can be read. Undefined if the caller can read
   * objects that the list does not contain.
   */
  listKnownPaths?(ids: Ids): string[];
  query?: string;
  /** Guests who manage a team or content see its other users in lists, but cannot read them as members. */
  notForGuests?: true;
  /** The single read returns more fields than the list. */
  tellsMore?: true;
}

export const createPath = (id: string) => (item: Item) => `${id}/${String(item.id)}`;
export const getId = (value: unknown) => (value as { id: string }).id;

export const getOrganizationPath = ({ organizationId }: Ids) => `/v1/orgs/${organizationId}`;
export const createNestedRead = (name: string): Single => ({
  path: (item, ids) => createPath(`${getOrganizationPath(ids)}/${name}`)(item),
});

export const readInSpace = (path: (ids: Ids) => string): Single => ({
  path: (item, ids) => createPath(`/v1/spaces/${ids.spaceId}/${path(ids)}`)(item),
});

export const ofUsers: Single = {
  notForGuests: true,
  path: ({ user }) => `/v1/users/${getId(user)}`,
  selectPart: ({ user }) => user,
};

export const ofTeams: Single = {
  notForGuests: true,
  path: ({ team }, ids) => `${getOrganizationPath(ids)}/teams/${getId(team)}`,
  selectPart: ({ team }) => team,
};

const byLocation: Single = {
  path: ({ urls }) => new URL(String((urls as { location: string }).location)).pathname,
};

export const ofComments: Record<string, Single> = {
  listCommentsInOrganization: {
    ...byLocation,
    selectPart: ({ target, space, changeRequest, ...comment }) => comment,
    tellsMore: true,
  },
  listCommentsInSpace: readInSpace(() => 'comments'),
  listCommentsInChangeRequest: readInSpace(({ changeRequestId }) => `change-requests/${changeRequestId}/comments`),
  listCommentRepliesInSpace: readInSpace(({ commentId }) => `comments/${commentId}/replies`),
  listCommentRepliesInChangeRequest: {
    path: (item, { spaceId, changeRequestId, commentId }) =>
      createPath(`/v1/spaces/${spaceId}/change-requests/${changeRequestId}/comments/${commentId}/replies`)(item),
  },
  listCommentersInSpace: createNestedRead('members'),
  listCommentersInChangeRequest: createNestedRead('members'),
};

const ofIntegration: Single = { path: ({ name }) => `/v1/integrations/${String(name)}` };

/** The lists of sites, specifications and integrations. */
export const ofSites: Record<string, Single> = {
  listSites: createNestedRead('sites'),
  listIntegrations: ofIntegration,
  listOrganizationIntegrations: ofIntegration,
  listSpaceIntegrations: ofIntegration,
  listSiteIntegrations: ofIntegration,
  listSiteRedirects: {
    path: (item, ids) => createPath(`${getOrganizationPath(ids)}/sites/${ids.siteId}/redirects`)(item),
  },
  listOpenAPISpecs: { path: (item, ids) => `${getOrganizationPath(ids)}/openapi/${String(item.slug)}` },
  listOpenAPISpecVersions: {
    path: (item, ids) => createPath(`${getOrganizationPath(ids)}/openapi/${ids.specSlug}/versions`)(item),
  },
};

/** The lists of installations, whose items name their targets. */
export const ofInstallations: Record<string, Single> = {
  listIntegrationInstallations: byLocation,
  listIntegrationEvents: {
    path: (item, { integrationName }) => createPath(`/v1/integrations/${integrationName}/events`)(item),
    selectPart: (event) => ({ event }),
    tellsMore: true,
  },
  listIntegrationInstallationSpaces: byLocation,
  listIntegrationInstallationSites: byLocation,
  listIntegrationSpaceInstallations: byLocation,
  listIntegrationSiteInstallations: byLocation,
  listOrganizationInstallations: {
    path: ({ installation }) => byLocation.path(installation as Item, {}),
    selectPart: ({ installation }) => installation,
  },
};

export const ofWebhooks: Record<string, Single> = {
  listWebhooks: createNestedRead('webhooks'),
  listWebhookDeliveries: {
    path: (item, ids) => createPath(`${getOrganizationPath(ids)}/webhooks/${ids.webhookId}/deliveries`)(item),
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

const ofRevisions: Single = {
  ...readInSpace(() => 'revisions'),
  selectPart: ({ id, type, createdAt, urls }) => ({ id, type, createdAt, urls }),
  tellsMore: true,
};

/** The lists of files and revisions, and of the participants of a change request. */
export const ofContent: Record<string, Single> = {
  listRevisionsInSpace: ofRevisions,
  listRevisionsInChangeRequest: ofRevisions,
  listFiles: readInSpace(() => 'content/files'),
  listFilesInChangeRequestById: readInSpace(
    ({ changeRequestId }) => `change-requests/${changeRequestId}/content/files`,
  ),
  listFilesInRevisionById: readInSpace(({ revisionId }) => `revisions/${revisionId}/files`),
  getReviewsByChangeRequestId: readInSpace(({ changeRequestId }) => `change-requests/${changeRequestId}/reviews`),
  getRequestedReviewersByChangeRequestId: ofUsers,
  getContributorsByChangeRequestId: ofUsers,
};

/** The other lists of an organization. */
export const ofOrganization: Record<string, Single> = {
  listSAMLProvidersInOrganizationById: createNestedRead('saml'),
  listTranslationSettings: createNestedRead('translations'),
  listTranslationLanguages: {
    path: (item, ids) =>
      `${getOrganizationPath(ids)}/translations/${ids.translationSettingsId}/languages/${String(item.language)}`,
  },
  listServiceAccounts: createNestedRead('members'),
  listOrganizationAuditEvents: { ...createNestedRead('audit-events'), tellsMore: true },
};
