import type { DocumentPage, SiteCustomization, Space } from '@octavo/schema';
import { getGitRepositoryUrls } from '@octavo/schema';
import { encodePath } from './navigation.ts';

/**
 * Returns the URL at which the source of a page is edited: by the pattern of the customization, else in the repository
 * that the space is synced with. Undefined if the site shows no such links, or if the source or its URL is not known.
 */
export function getEditUrl(
  { git }: Pick<DocumentPage, 'git'>,
  look: SiteCustomization,
  gitSync: Space['gitSync'],
): string | undefined {
  if (!look.git.showEditLink || git === undefined) return undefined;
  const pattern = look.git.editURL ?? (gitSync && getGitRepositoryUrls(gitSync).edit);
  return pattern?.replace('{path}', () => encodePath(git.path));
}
