/** The resources that stand below others, told by a segment of the path: the first that occurs names the tag. */
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

/** The tag of an operation: the resource that its path is about. */
export function tagOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'v1' && !segment.startsWith(':'));
  const inner = Object.keys(nested).find((segment) => segments.includes(segment));
  if (inner !== undefined) return nested[inner] ?? inner;
  const [first, second] = segments;
  return topLevel[(first === 'orgs' ? second : first) ?? ''] ?? 'Organizations';
}

/** The heading under which a tag stands. */
export const groupOf = (tag: string): string =>
  Object.keys(groups).find((group) => groups[group]?.includes(tag)) ?? 'Organizations';
