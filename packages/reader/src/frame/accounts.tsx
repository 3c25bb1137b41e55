import type { SiteCustomization } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { safeAddress } from '../references.ts';
import { Anchor } from './anchor.tsx';
import { Icon, isIcon } from './icon.tsx';

type Account = SiteCustomization['socialAccounts'][number];
type Platform = [name: string, icon: string, address: string];

/** What each platform is called, its icon, and where its accounts are. */
const platforms: Record<Account['platform'], Platform> = {
  twitter: ['X', 'x-twitter', 'https://x.com/'],
  instagram: ['Instagram', 'instagram', 'https://www.instagram.com/'],
  facebook: ['Facebook', 'facebook', 'https://www.facebook.com/'],
  linkedin: ['LinkedIn', 'linkedin', 'https://www.linkedin.com/'],
  github: ['GitHub', 'github', 'https://github.com/'],
  discord: ['Discord', 'discord', 'https://discord.com/invite/'],
  slack: ['Slack', 'slack', 'https://'],
  youtube: ['YouTube', 'youtube', 'https://www.youtube.com/'],
  tiktok: ['TikTok', 'tiktok', 'https://www.tiktok.com/@'],
  reddit: ['Reddit', 'reddit', 'https://www.reddit.com/'],
  bluesky: ['Bluesky', 'bluesky', 'https://bsky.app/profile/'],
  mastodon: ['Mastodon', 'mastodon', 'https://'],
  threads: ['Threads', 'threads', 'https://www.threads.net/@'],
  medium: ['Medium', 'medium', 'https://medium.com/'],
};

/** Where an account is, of a handle with or without `@`, or its whole address. */
function addressOf({ platform, handle }: Account): string {
  if (/^https?:/i.test(handle)) return safeAddress(handle) ?? '';
  const bare = handle.replace(/^@/, '');
  const [, user, host] = platform === 'mastodon' ? (/^([^@/]+)@([^@/]+)$/.exec(bare) ?? []) : [];
  if (user !== undefined) return `https://${host}/@${user}`;
  const sign = platform === 'medium' && handle.startsWith('@') ? '@' : '';
  return `${platforms[platform][2]}${sign}${bare}`;
}

/** Accounts of the site's makers elsewhere, as icons with names. */
export function Accounts({ at, place }: { at: PageDrawing; place: 'header' | 'footer' }): ComponentChildren {
  const accounts = at.view.site.look.socialAccounts.filter(({ display }) => display[place]);
  if (accounts.length === 0) return null;
  return (
    <ul class="accounts">
      {accounts.map((account) => {
        const [name, icon] = platforms[account.platform];
        const hasIcon = isIcon(at, icon);
        return (
          <li>
            <Anchor at={at} to={addressOf(account)}>
              <Icon at={at} name={icon} />
              <span class={hasIcon ? 'hidden' : undefined}>{name}</span>
            </Anchor>
          </li>
        );
      })}
    </ul>
  );
}
