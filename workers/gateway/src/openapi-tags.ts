/** Tags of resources that belong to other resources, by a segment of the path. The first match in this order wins. */
const nested: Record<string, string> = {
  'requested-reviewers': 'Reviews',
  reviews: 'Reviews',
  comments: 'Comments',
  commenters: 'Comments',
  permissions: 'Permissions',
  content: 'Content',
  revisions: 'Content',
  'change-requests': 'Change requests',
  'share-links': 'Share links',
  sections: 'Site sections',
  'section-groups': 'Site sections',
  'site-spaces': 'Site spaces',
};

/** Tags of all other resources, by the first segment of the path after the organization. */
const topLevel: Record<string, string> = {
  collections: 'Collections',
  spaces: 'Spaces',
  members: 'Members',
  ping: 'Members',
  teams: 'Teams',
  'link-invites': 'Invites',
  invites: 'Invites',
  join: 'Invites',
  saml: 'SSO',
  sso: 'SSO',
  translations: 'Translations',
  sites: 'Sites',
  openapi: 'OpenAPI specifications',
  integrations: 'Integrations',
  user: 'Users',
  users: 'Users',
};

const groups: Record<string, readonly string[]> = {
  Content: ['Spaces', 'Collections', 'Content'],
  Collaboration: ['Change requests', 'Comments', 'Reviews'],
  Publishing: ['Sites', 'Site sections', 'Site spaces', 'Share links', 'OpenAPI specifications'],
  Integrations: ['Integrations'],
};

/** Returns the tag of an operation: the resource of its path. */
export function getTag(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'v1' && !segment.startsWith(':'));
  const inner = Object.keys(nested).find((segment) => segments.includes(segment));
  if (inner !== undefined) return nested[inner] ?? inner;
  const [first, second] = segments;
  return topLevel[(first === 'orgs' ? second : first) ?? ''] ?? 'Organizations';
}

/** Returns the group of a tag in the navigation of the API reference. */
export const getGroup = (tag: string): string =>
  Object.keys(groups).find((group) => groups[group]?.includes(tag)) ?? 'Organizations';
