import type { VNode } from 'preact';
import { signOut, useUser } from '../session.ts';
import { type ThemeChoice, useTheme } from '../theme.ts';
import { Avatar } from '../ui/avatar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';

const themeLabels: Record<ThemeChoice, string> = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' };

/** The menu of the signed-in user. */
export function AccountMenu(): VNode | null {
  const { value: user } = useUser();
  const [theme, chooseTheme] = useTheme();
  if (user === undefined) return null;
  const name = user.displayName || user.email || 'Account';
  const items: MenuItem[] = [
    { label: 'Profile', icon: 'user', href: '/app/profile' },
    ...(['system', 'light', 'dark'] as const).map((choice, index) => ({
      label: themeLabels[choice],
      isCurrent: theme === choice,
      onSelect: () => chooseTheme(choice),
      startsGroup: index === 0,
    })),
    { label: 'Sign out', icon: 'sign-out', onSelect: signOut, startsGroup: true },
  ];
  return (
    <Menu class="sidebar-button" side="above" items={items}>
      <Avatar name={name} photo={user.photoURL} />
      <span class="grow">{name}</span>
      <UiIcon name="chevrons" />
    </Menu>
  );
}
