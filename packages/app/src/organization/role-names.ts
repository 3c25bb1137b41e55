import type { Role } from '@octavo/schema';

/** The roles, highest first, with their names and what they allow. */
export const memberRoles: [role: Role, name: string, rights: string][] = [
  ['admin', 'Admin', 'Manages the organization and its members, and can do everything in all spaces.'],
  ['create', 'Creator', 'Creates, manages and publishes spaces. Also writes, reviews and merges.'],
  ['review', 'Reviewer', 'Writes pages, and reviews and merges change requests.'],
  ['edit', 'Editor', 'Writes pages and asks for reviews, but cannot merge change requests.'],
  ['comment', 'Commenter', 'Reads pages and change requests, and comments on them.'],
  ['read', 'Reader', 'Reads pages, change requests and comments.'],
];

export const getRoleName = (role: Role | null): string => memberRoles.find(([name]) => name === role)?.[1] ?? 'Guest';
