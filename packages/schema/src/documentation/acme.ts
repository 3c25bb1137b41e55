/** Ids of the objects in the examples, which belong to an organization named Acme. */
export const ids = {
  organization: 'org_4hT2kQ9vXbN7cLmR0sWd',
  user: 'usr_8sKd02LmQx4RtYpB7nVc',
  colleague: 'usr_2pWq71ZfHc9JvTnE5gLa',
  serviceAccount: 'usr_6mXb48RdSk1UyGoC3hPz',
  token: 'tok_9dFg35JhTr2MwQzN8kVb',
  team: 'team_1rNc64YvPk8BsXjL2mTd',
  invite: 'inv_5gHt90QwEr7ZxCvB3nMk',
  samlProvider: 'saml_7jLp18UiOy4DfGhS6wRt',
  translation: 'trn_3bVm27KsLd5PqWzE9xCn',
  collection: 'col_0kSd83NfGh6TyUjR1qWe',
  space: 'spc_2aQw46ErTy9UiOpL5sDf',
  page: 'pg_6yHn57UjMk1IoLpQ2aZx',
  group: 'pg_1rFv73TgBy5HnUjM9kIo',
  document: '7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a',
  file: 'file_4kSd20LmQx8RtYpB6nVc',
  reusableContent: 'rc_9pWq53ZfHc1JvTnE7gLa',
  computedVersion: 'cmpv_2mXb86RdSk4UyGoC0hPz',
  import: 'imp_6dFg17JhTr9MwQzN3kVb',
  upload: 'upl_8rNc45YvPk2BsXjL0mTd',
  revision: 'rev_0PmT4kX9sDfGhJ3kLqWe',
  changeRequest: 'cr_4tGb68YhNu2JmIkO9lPq',
  draftRevision: 'rev_0PmT4nC2wEdCrFvTgByH',
  review: 'rvw_3gHt72QwEr5ZxCvB1nMk',
  comment: 'com_5jLp94UiOy7DfGhS3wRt',
  favorite: 'fav_3mXb86RdSk4UyGoC0hPz',
  notification: 'ntf_0PmT4pR6yHnUjMkIoLpQ',
  reply: 'rep_7bVm16KsLd9PqWzE5xCn',
  site: 'site_8wSx29EdCr5FvTgB1yHn',
  section: 'sec_7uJm40IkOl3PqAzW6sXe',
  sectionGroup: 'secg_2dCf91RtGv8BhYnJ4uMk',
  siteSpace: 'ss_5iKo62LpQa7ZwSxE3dRc',
  externalLink: 'sel_9fVt13GbYh4NuJmI8kOl',
  shareLink: 'sl_6pQa74ZwSx1EdCrF5vTg',
  redirect: 'srd_3bYh85NuJm2IkOlP7qAz',
  openapiSpec: 'oas_1wSx96EdCr4FvTgB0yHn',
  openapiVersion: 'oasv_8uJm27IkOl5PqAzW3sXe',
  installation: 'ins_4dCr58FvTg9BhYnJ6uMk',
  webhook: 'whk_7iKo39LpQa2ZwSxE1dRc',
  delivery: 'dlv_5fVt60GbYh8NuJmI4kOl',
  event: 'evt_0PmT4nB7pQaZ1wSxEdCr',
  request: 'req_9vTg41BhYn3JuMkI7oLp',
} as const;

const server = 'https://octavo.example.com';

/** Returns the URL of an object in the API. */
export const createLocationUrl = (path: string): string => `${server}/v1${path}`;

/** Returns the URL of an object in the app. */
export const createAppUrl = (path: string): string => `${server}/app${path}`;

/** Returns the URL of a page that the server itself serves. */
export const createPageUrl = (path: string): string => `${server}${path}`;

/** The URL of the site in the examples. */
export const siteUrl = 'https://docs.acme.example';

export const organizationPath = `/orgs/${ids.organization}`;
export const spacePath = `/spaces/${ids.space}`;
export const sitePath = `${organizationPath}/sites/${ids.site}`;

export const user = {
  object: 'user',
  id: ids.user,
  displayName: 'Ada Marsh',
  email: 'ada@acme.example',
  urls: { location: createLocationUrl(`/users/${ids.user}`) },
} as const;

export const colleague = {
  object: 'user',
  id: ids.colleague,
  displayName: 'Ben Okafor',
  email: 'ben@acme.example',
  photoURL: 'https://images.acme.example/ben.png',
  urls: { location: createLocationUrl(`/users/${ids.colleague}`) },
} as const;

export const organization = {
  object: 'organization',
  id: ids.organization,
  title: 'Acme',
  createdAt: '2026-01-12T09:30:00.000Z',
  emailDomains: ['acme.example'],
  hostname: 'acme',
  type: 'business',
  defaultRole: 'read',
  sso: false,
  ai: false,
  inviteLinks: true,
  mergeRules: { type: 'none' },
  plan: 'community_2024',
  urls: { location: createLocationUrl(organizationPath), app: createAppUrl(organizationPath) },
  trial: { status: 'notapplicable', count: 0 },
  permissions: {
    view: true,
    admin: true,
    ownTeam: true,
    createContent: true,
    createOpenAPISpec: true,
    ingestConversations: true,
    viewBilling: true,
    listMembers: true,
    listTeams: true,
    listIntegrations: true,
    access: true,
    listInstallations: true,
    installIntegration: true,
  },
} as const;

export const collection = {
  object: 'collection',
  id: ids.collection,
  title: 'Product',
  description: 'Documentation of the Acme products',
  organization: ids.organization,
  defaultLevel: null,
  urls: {
    location: createLocationUrl(`/collections/${ids.collection}`),
    app: createAppUrl(`/collections/${ids.collection}`),
  },
  permissions: { view: true, admin: true, viewInviteLinks: true, create: true },
} as const;

export const space = {
  object: 'space',
  id: ids.space,
  type: 'document',
  title: 'User guide',
  emoji: '1f4d8',
  visibility: 'public',
  createdAt: '2026-01-12T10:00:00.000Z',
  updatedAt: '2026-03-02T14:20:00.000Z',
  editMode: 'locked',
  organization: ids.organization,
  revision: ids.revision,
  defaultLevel: null,
  mergeRules: { type: 'inherit' },
  comments: 2,
  changeRequests: 14,
  changeRequestsOpen: 3,
  changeRequestsDraft: 1,
  urls: {
    location: createLocationUrl(`/spaces/${ids.space}`),
    app: createAppUrl(`/spaces/${ids.space}`),
    published: siteUrl,
    public: siteUrl,
  },
  permissions: {
    view: true,
    access: true,
    admin: true,
    viewInviteLinks: true,
    edit: true,
    triggerGitSync: false,
    comment: true,
    merge: true,
    review: true,
    installIntegration: true,
  },
} as const;
