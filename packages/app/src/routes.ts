import type { Organization } from '@octavo/schema';
import type { ComponentType } from 'preact';
import type { UiIconName } from './ui/icon.tsx';

/** The values of a route's path, such as `space`, and the location's query and fragment. */
export interface ScreenProps {
  params: Record<string, string>;
  query: URLSearchParams;
  hash: string;
}

/** A path of the app with the screen that it shows. The paths are those of the API without `/v1`. */
export interface AppRoute {
  path: string;
  load: () => Promise<ComponentType<ScreenProps>>;
}

/** The screens of the app. The first route that matches is shown. Each screen is loaded when it is first opened. */
export const routes: AppRoute[] = [
  { path: '/', load: () => import('./home/home-screen.tsx').then((screen) => screen.HomeScreen) },
  {
    path: '/spaces/:space/change-requests',
    load: () => import('./change-requests/list-screen.tsx').then((screen) => screen.ChangeRequestListScreen),
  },
  {
    path: '/spaces/:space/change-requests/:changeRequest/comments/:comment',
    load: () => import('./change-requests/change-request-screen.tsx').then((screen) => screen.ChangeRequestScreen),
  },
  {
    path: '/spaces/:space/comments',
    load: () => import('./comments/comments-screen.tsx').then((screen) => screen.CommentsScreen),
  },
  {
    path: '/spaces/:space/comments/:comment',
    load: () => import('./comments/comments-screen.tsx').then((screen) => screen.CommentsScreen),
  },
  { path: '/inbox', load: () => import('./inbox/inbox-screen.tsx').then((screen) => screen.InboxScreen) },
  {
    path: '/spaces/:space/change-requests/:changeRequest',
    load: () => import('./change-requests/change-request-screen.tsx').then((screen) => screen.ChangeRequestScreen),
  },
  {
    path: '/spaces/:space/change-requests/:changeRequest/edit/:page',
    load: () => import('./edit/edit-screen.tsx').then((screen) => screen.EditScreen),
  },
  {
    path: '/spaces/:space',
    load: () => import('./space/page-screen.tsx').then((screen) => screen.SpaceScreen),
  },
  {
    path: '/spaces/:space/content',
    load: () => import('./space/page-screen.tsx').then((screen) => screen.SpaceScreen),
  },
  {
    path: '/spaces/:space/content/page/:page',
    load: () => import('./space/page-screen.tsx').then((screen) => screen.PageScreen),
  },
  {
    path: '/orgs/:organization',
    load: () => import('./organization/organization-screen.tsx').then((screen) => screen.OrganizationScreen),
  },
  {
    path: '/orgs/:organization/members',
    load: () => import('./organization/members-screen.tsx').then((screen) => screen.MembersScreen),
  },
  {
    path: '/orgs/:organization/saml',
    load: () => import('./organization/sso-screen.tsx').then((screen) => screen.SsoScreen),
  },
  {
    path: '/orgs/:organization/saml/:provider',
    load: () => import('./organization/sso-provider-screen.tsx').then((screen) => screen.SsoProviderScreen),
  },
  {
    path: '/orgs/:organization/sites',
    load: () => import('./sites/sites-screen.tsx').then((screen) => screen.SitesScreen),
  },
  {
    path: '/orgs/:organization/sites/:site',
    load: () => import('./sites/site-screen.tsx').then((screen) => screen.SiteScreen),
  },
  { path: '/profile', load: () => import('./profile/profile-screen.tsx').then((screen) => screen.ProfileScreen) },
  {
    path: '/spaces/:space/history',
    load: () => import('./space/history-screen.tsx').then((screen) => screen.HistoryScreen),
  },
  {
    path: '/spaces/:space/revisions/:revision',
    load: () => import('./space/history-screen.tsx').then((screen) => screen.HistoryScreen),
  },
  {
    path: '/spaces/:space/revisions/:revision/page/:page',
    load: () => import('./space/version-screen.tsx').then((screen) => screen.VersionScreen),
  },
  { path: '/spaces/:space/trash', load: () => import('./space/trash-screen.tsx').then((screen) => screen.TrashScreen) },
  { path: '/spaces/:space/files', load: () => import('./space/files-screen.tsx').then((screen) => screen.FilesScreen) },
  {
    path: '/spaces/:space/links',
    load: () => import('./space/links-screen.tsx').then((screen) => screen.BrokenLinksScreen),
  },
  {
    path: '/spaces/:space/import',
    load: () => import('./space/import-screen.tsx').then((screen) => screen.ImportScreen),
  },
];

interface NavigationLink {
  path: string;
  label: string;
  icon: UiIconName;
}

/** The links in the navigation of an organization. */
const organizationLinks: (NavigationLink & { isForAdmins?: boolean })[] = [
  { path: '/orgs/:organization/sites', label: 'Sites', icon: 'globe' },
  { path: '/orgs/:organization/members', label: 'Members', icon: 'users' },
  { path: '/orgs/:organization/saml', label: 'Single sign-on', icon: 'key', isForAdmins: true },
];

/** Returns the links that the user can open. */
export const listOrganizationLinks = ({ id, permissions }: Organization): NavigationLink[] =>
  organizationLinks
    .filter(({ isForAdmins = false }) => permissions.admin || !isForAdmins)
    .map(({ path, label, icon }) => ({ path: path.replace(':organization', id), label, icon }));

/** The links in the navigation of a space. */
const spaceLinks: (NavigationLink & { isForEditors?: boolean })[] = [
  { path: '/spaces/:space/change-requests', label: 'Change requests', icon: 'pull' },
  { path: '/spaces/:space/comments', label: 'Comments', icon: 'comment' },
  { path: '/spaces/:space/history', label: 'History', icon: 'clock' },
  { path: '/spaces/:space/files', label: 'Files', icon: 'file' },
  { path: '/spaces/:space/links', label: 'Broken links', icon: 'link' },
  { path: '/spaces/:space/import', label: 'Import', icon: 'import', isForEditors: true },
  { path: '/spaces/:space/trash', label: 'Trash', icon: 'trash', isForEditors: true },
];

/** Returns the links that the user can open. */
export const listSpaceLinks = (space: string, canEdit: boolean): NavigationLink[] =>
  spaceLinks
    .filter(({ isForEditors = false }) => canEdit || !isForEditors)
    .map(({ path, label, icon }) => ({ path: path.replace(':space', space), label, icon }));
