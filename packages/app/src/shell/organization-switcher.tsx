import type { VNode } from 'preact';
import { useCurrentOrganization, useOrganizations, useReportedVisit } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';

/** The name of the current organization, with a menu of the user's organizations. */
export function OrganizationSwitcher(): VNode {
  const { value: organizations = [] } = useOrganizations();
  const current = useCurrentOrganization();
  useReportedVisit();
  if (current === undefined)
    return (
      <a class="sidebar-button" href="/app">
        <Avatar name="Octavo" isSquare />
        <span class="grow">Octavo</span>
      </a>
    );
  const items = [
    { label: 'Home', icon: 'home', href: '/app' } as const,
    ...organizations.map(({ id, title }, index) => ({
      label: title,
      href: `/app/orgs/${id}`,
      isCurrent: id === current.id,
      startsGroup: index === 0,
    })),
  ];
  return (
    <Menu class="sidebar-button" items={items}>
      <Avatar name={current.title} photo={current.urls.logo} isSquare />
      <span class="grow strong">{current.title}</span>
      <UiIcon name="chevrons" />
    </Menu>
  );
}
