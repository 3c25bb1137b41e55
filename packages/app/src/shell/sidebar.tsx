import type { Space } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { InboxLink } from '../inbox/inbox-link.tsx';
import { useAppLocation } from '../router.ts';
import { listOrganizationLinks } from '../routes.ts';
import { SearchButton } from '../search/search-button.tsx';
import { useCurrentOrganization, usePlace } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { UiIcon, type UiIconName } from '../ui/icon.tsx';
import { LoadingLines } from '../ui/states.tsx';
import { useList } from '../use-api.ts';
import { AccountMenu } from './account-menu.tsx';
import { OrganizationSwitcher } from './organization-switcher.tsx';

interface SidebarLinkProps {
  path: string;
  icon?: UiIconName;
  children: ComponentChildren;
}

export function SidebarLink({ path, icon, children }: SidebarLinkProps): VNode {
  const location = useAppLocation();
  return (
    <a
      class="sidebar-link"
      href={`/app${path === '/' ? '' : path}`}
      aria-current={location.path === path ? 'page' : undefined}
    >
      {icon !== undefined && <UiIcon name={icon} />}
      {children}
    </a>
  );
}

/** The title of a space. Spaces may have none. */
export const getSpaceTitle = ({ title }: Pick<Space, 'title'>): string => title || 'Untitled';

/** Number of spaces in the sidebar. All others are on the screen of the organization. */
const maxSpaces = 50;

function OrganizationNavigation(): VNode {
  const organization = useCurrentOrganization();
  const { value: spaces, isLoading } = useList<Space>(organization && `/orgs/${organization.id}/spaces`, {}, maxSpaces);
  return (
    <nav class="sidebar-scroll" aria-label="Main">
      <ul>
        <li>
          <SidebarLink path="/" icon="home">
            Home
          </SidebarLink>
        </li>
        {organization !== undefined &&
          listOrganizationLinks(organization).map(({ path, label, icon }) => (
            <li key={path}>
              <SidebarLink path={path} icon={icon}>
                {label}
              </SidebarLink>
            </li>
          ))}
      </ul>
      <h2>Spaces</h2>
      {spaces === undefined && isLoading && <LoadingLines count={5} />}
      <ul>
        {spaces?.map((space) => (
          <li key={space.id}>
            <SidebarLink path={`/spaces/${space.id}`}>
              <Avatar name={getSpaceTitle(space)} emoji={space.emoji} isSquare />
              <span class="grow">{getSpaceTitle(space)}</span>
            </SidebarLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The navigation beside the screens. In a space, `children` is the navigation of the space. */
export function Sidebar({ children }: { children?: ComponentChildren }): VNode {
  const { space } = usePlace();
  return (
    <>
      <OrganizationSwitcher />
      <SearchButton />
      <InboxLink />
      {space === undefined ? <OrganizationNavigation /> : children}
      <AccountMenu />
    </>
  );
}
