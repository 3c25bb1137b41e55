export type Ids = Record<string, string>;
export type Item = Record<string, unknown> & { id?: string };

/** How an item of a list is read one by one; `known` names the objects of the world that might be in the list. */
export interface Single {
  path(item: Item, ids: Ids): string;
  /** The part of an item that the single read gives as a whole; the item itself where left out. */
  part?(item: Item): unknown;
  /** The single reads that decide what the list has to hold; left out where others than the listed may be read. */
  known?(ids: Ids): string[];
  query?: string;
  /** A guest who manages a team or content sees who else is there, without reading them as members. */
  notForGuests?: true;
  /** The single read tells more than the list. */
  tellsMore?: true;
}

export const at = (id: string) => (item: Item) => `${id}/${String(item.id)}`;
export const idOf = (value: unknown) => (value as { id: string }).id;

export const organizationPath = ({ organizationId }: Ids) => `/v1/orgs/${organizationId}`;
export const nested = (name: string): Single => ({ path: (item, ids) => at(`${organizationPath(ids)}/${name}`)(item) });

export const ofSpace = (path: (ids: Ids) => string): Single => ({
  path: (item, ids) => at(`/v1/spaces/${ids.spaceId}/${path(ids)}`)(item),
});

export const ofUsers: Single = {
  notForGuests: true,
  path: ({ user }) => `/v1/users/${idOf(user)}`,
  part: ({ user }) => user,
};

export const ofTeams: Single = {
  notForGuests: true,
  path: ({ team }, ids) => `${organizationPath(ids)}/teams/${idOf(team)}`,
  part: ({ team }) => team,
};

/** The lists of comments. */
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

/** The lists of sites and of specifications. */
export const ofSites: Record<string, Single> = {
  listSites: nested('sites'),
  listSiteRedirects: {
    path: (item, ids) => at(`${organizationPath(ids)}/sites/${ids.siteId}/redirects`)(item),
  },
  listOpenAPISpecs: { path: (item, ids) => `${organizationPath(ids)}/openapi/${String(item.slug)}` },
  listOpenAPISpecVersions: {
    path: (item, ids) => at(`${organizationPath(ids)}/openapi/${ids.specSlug}/versions`)(item),
  },
};
