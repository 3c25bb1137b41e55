/** The description of the API, in Markdown. */
export const introduction = [
  'The HTTP API of the Octavo documentation platform.',
  '**Lists** return their items in pages: pass `next.page` of a response as `page` to get the next one. There is no ' +
    '`next` on the last page.',
  '**Errors** have a JSON body with a `type` for programs, a `message` for people and the id of the request. Objects ' +
    'that the caller cannot see return the same 404 as objects that do not exist.',
  '**Writes** can be repeated safely with an `Idempotency-Key`. Reads with an `ETag` can be repeated cheaply with ' +
    '`If-None-Match`.',
  '**New properties** can be added to responses at any time: ignore those that you do not know.',
].join('\n\n');

export const authentication =
  'A token of a user, a service account, an installation or a visitor of a site, as `Authorization: Bearer <token>`.';

/** Descriptions of the tags, which group the operations by resource. */
export const tags: Record<string, string> = {
  'Change requests': 'Proposed changes of the content of a space, which are reviewed and merged.',
  Collections: 'Folders of spaces and other collections, which spaces inherit roles from.',
  Comments: 'Comments and replies on the live content of a space or on a change request.',
  Content: 'The pages, files and reusable contents of a space, a change request or a revision, and its history.',
  Integrations:
    'Integrations, their installations in organizations and on spaces and sites, and the runs of ' + 'their scripts.',
  Invites: 'Invitations by e-mail, invite links, and joining an organization.',
  Members: 'The members of an organization and their roles.',
  'OpenAPI specifications': 'OpenAPI specifications, from which API references are generated.',
  Organizations: 'Organizations with their settings, service accounts, webhooks and audit events.',
  Permissions: 'Direct grants of roles on spaces and collections.',
  Reviews: 'Reviews of change requests and the users who are asked for them.',
  SSO: 'SAML providers, through which members sign in.',
  'Share links': 'Secret URLs that admit visitors to a site.',
  'Site sections': 'The sections of a site and their groups.',
  'Site spaces': 'The spaces that a site publishes.',
  Sites: 'Documentation sites with their settings, structure, customization, audience and redirects.',
  Spaces: 'Spaces, which contain the pages of a documentation.',
  Teams: 'Groups of members that roles can be granted to.',
  Translations: 'Settings for translations: languages and instructions.',
  Users: 'The user who calls the API, their tokens, and other users.',
};

/** Descriptions of parameters that mean the same in every operation. */
export const parameters: Record<string, string> = {
  'Idempotency-Key':
    'A unique key of the request, chosen by the client. A request that is repeated with the same key within a day ' +
    'is executed only once and returns the first response.',
  'If-None-Match':
    'ETags of responses that the client has stored. If one of them is current, the response is 304 ' +
    'without a body.',
  'If-Match': 'The ETag of a read. If the content has changed since, nothing is written and the response is 412.',
  page:
    'The cursor of the page to return: `next.page` of the previous response. If omitted, the first page ' +
    'is returned.',
  limit: 'The maximum number of items on a page.',
  organizationId: 'The id of the organization.',
  collectionId: 'The id of the collection.',
  spaceId: 'The id of the space.',
  changeRequestId: 'The id of the change request, or its number in the space.',
  revisionId: 'The id of the revision.',
  pageId: 'The id of the page.',
  pagePath: 'The path of the page, such as `get-started/install`. Former paths return 404.',
  fileId: 'The id of the file.',
  reusableContentId: 'The id of the reusable content.',
  documentId: 'The id of the document: the `documentId` of a page or the `document` of a reusable content.',
  linkId: 'The id of the link: the `id` of an item of a list of links.',
  importId: 'The id of the import.',
  reviewId: 'The id of the review.',
  commentId: 'The id of the comment.',
  commentReplyId: 'The id of the reply.',
  metadata: 'Whether the response contains git metadata: `git` and `links`.',
  computed:
    'Whether generated pages replace the computed pages. If false, members receive the computed pages themselves, ' +
    'and visitors receive neither.',
  evaluated:
    'Whether expressions and conditions are replaced with their results. `deterministic-only` is the same as true.',
  dereferenced:
    'Whether the content of reusable contents replaces the references to them. `reusable-contents` is the same ' +
    'as true.',
  format: 'The format of texts: Markdown, or a tree of blocks.',
  'format.markdown.refs':
    'The form of links in Markdown: as written (`relative`), or with ids that stay valid when pages are moved ' +
    '(`stable`).',
  siteId: 'The id of the site.',
  siteSpaceId: 'The id of the site space.',
  siteSectionId: 'The id of the section.',
  siteSectionGroupId: 'The id of the section group.',
  siteExternalLinkId: 'The id of the external link.',
  siteRedirectId: 'The id of the redirect.',
  shareLinkId: 'The id of the share link.',
  specSlug: 'The slug of the specification.',
  versionId: 'The id of the version.',
  userId: 'The id of the user.',
  teamId: 'The id of the team.',
  inviteId: 'The id of the invite link.',
  samlProviderId: 'The id of the SAML provider.',
  translationSettingsId: 'The id of the translation settings.',
  translationLanguage: 'The code of the language.',
  tokenId: 'The id of the token.',
  notificationId: 'The id of the notification.',
  favoriteId: 'The id of the favorite.',
  eventId: 'The id of the event.',
  integrationName: 'The name of the integration.',
  installationId: 'The id of the installation.',
  webhookId: 'The id of the webhook.',
  deliveryId: 'The id of the delivery.',
};

/** Descriptions of properties that mean the same in every object. */
export const properties: Record<string, string> = {
  object: 'The kind of object.',
  id: 'The id of the object.',
  createdAt: 'The time at which the object was created.',
  updatedAt: 'The time of the last change.',
  urls: 'URLs of the object.',
  'urls.location': 'The URL of the object in the API.',
  'urls.app': 'The URL of the object in the app.',
  permissions: 'The rights of the caller on the object.',
  next: 'The next page. Absent on the last page.',
  'next.page': 'The cursor of the next page.',
  count: 'The number of items on this page.',
  items: 'The items of this page.',
};
