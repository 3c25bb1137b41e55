import type { SiteCustomization } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { hrefOf } from '../drawing.ts';
import { Anchor, Icon, isIcon, Pair } from '../elements.tsx';
import { headerPresetOf } from '../theme/tokens.ts';
import { safeAddress } from '../view.ts';
import { Navigation, Variants } from './navigation.tsx';

const menuId = '~menu';

/** The sidebar. On phones a header button opens it, and it also holds the header links. */
export function Menu({ at }: { at: PageDrawing }): ComponentChildren {
  const { look } = at.view.site;
  const isFilled = look.header.links.length > 0 || look.socialAccounts.some(({ display }) => display.header);
  return (
    <div id={menuId} class="side" popover="auto">
      <p class="menu-head">
        {at.view.site.title}
        <button type="button" popovertarget={menuId} popovertargetaction="hide" aria-label={at.texts.close}>
          <span aria-hidden="true">✕</span>
        </button>
      </p>
      {isFilled && headerPresetOf(look) !== 'none' && (
        <nav class="of-header" aria-label={at.texts.menu}>
          <MenuLinks at={at} />
          <Accounts at={at} place="header" />
        </nav>
      )}
      <Variants at={at} />
      <Navigation at={at} />
    </div>
  );
}

/** The announcement banner of the site. */
export function Announcement({ at }: { at: PageDrawing }): ComponentChildren {
  const { announcement } = at.view.site.look;
  if (announcement === undefined || !announcement.enabled) return null;
  const { link, message, localizedMessage, style } = announcement;
  const told = localizedMessage?.[at.locale] ?? message;
  return (
    <aside class={`announcement ${style}`} aria-label={told.slice(0, 30)}>
      <p>
        {told}{' '}
        {link !== undefined && (
          <Anchor at={at} to={at.view.resolve(link.to)?.to}>
            {link.localizedTitle?.[at.locale] ?? link.title}
          </Anchor>
        )}
      </p>
    </aside>
  );
}

/** The name or logo of the site, with a link to the home page. */
const Brand = ({ at }: { at: PageDrawing }): ComponentChildren => {
  const { look, title } = at.view.site;
  return (
    <Anchor at={at} to={at.view.resolve(look.header.primaryLink)?.to ?? ''} class="brand">
      {look.header.logo === undefined ? title : <Pair of={look.header.logo} alt={title} />}
    </Anchor>
  );
};

/** The header of all pages. If the site hides it, only the controls that are available nowhere else are drawn. */
export function Header({ at }: { at: PageDrawing }): ComponentChildren {
  const { look } = at.view.site;
  const preset = headerPresetOf(look);
  const isShown = preset !== 'none';
  return (
    <header class={`top ${preset}`}>
      <button type="button" class="menu" popovertarget={menuId} aria-label={at.texts.menu}>
        <span aria-hidden="true">☰</span>
      </button>
      {isShown && <Brand at={at} />}
      <SearchForm at={at} />
      {isShown && <HeaderLinks at={at} />}
      {isShown && <Accounts at={at} place="header" />}
      {look.themes.toggeable && <theme-switch data-label={at.texts.theme} />}
    </header>
  );
}

type HeaderItem = SiteCustomization['header']['links'][number];
type ItemLink = Pick<HeaderItem, 'title' | 'localizedTitle' | 'style' | 'to'>;

/** Links shown in the header; the others are in a menu after them. */
const maxLinks = 6;

/** A link of the header or of its menus. */
function ItemAnchor({ at, item }: { at: PageDrawing; item: ItemLink }): ComponentChildren {
  const style = item.style?.startsWith('button') ? { class: item.style } : {};
  return (
    <Anchor at={at} to={at.view.resolve(item.to)?.to} {...style}>
      {item.localizedTitle?.[at.locale] ?? item.title}
    </Anchor>
  );
}

/** Returns the links of an item, starting with its own if it has one. */
const inside = ({ links, ...item }: HeaderItem): ItemLink[] => [...(item.to === null ? [] : [item]), ...links];

const List = ({ at, links }: { at: PageDrawing; links: ItemLink[] }): ComponentChildren => (
  <ul>
    {links.map((link) => (
      <li>
        <ItemAnchor at={at} item={link} />
      </li>
    ))}
  </ul>
);

/** A header item with a menu of its links. */
function Item({ at, item }: { at: PageDrawing; item: HeaderItem }): ComponentChildren {
  if (item.links.length === 0) return <ItemAnchor at={at} item={item} />;
  return (
    <details class="drop">
      <summary>{item.localizedTitle?.[at.locale] ?? item.title}</summary>
      <List at={at} links={inside(item)} />
    </details>
  );
}

/** Items with all their links shown. */
const OpenItems = ({ at, items }: { at: PageDrawing; items: HeaderItem[] }): ComponentChildren =>
  items.map((item) => (
    <li class={item.links.length === 0 ? undefined : 'group'}>
      {item.links.length === 0 ? (
        <ItemAnchor at={at} item={item} />
      ) : (
        <>
          <p>{item.localizedTitle?.[at.locale] ?? item.title}</p>
          <List at={at} links={inside(item)} />
        </>
      )}
    </li>
  ));

/** The links in the header, if there is room for them. */
function HeaderLinks({ at }: { at: PageDrawing }): ComponentChildren {
  const { links } = at.view.site.look.header;
  if (links.length === 0) return null;
  const shown = links.length > maxLinks ? links.slice(0, maxLinks - 1) : links;
  return (
    <ul class="links">
      {shown.map((item) => (
        <li>
          <Item at={at} item={item} />
        </li>
      ))}
      {links.length > shown.length && (
        <li>
          <details class="drop">
            <summary>{at.texts.more}</summary>
            <ul>
              <OpenItems at={at} items={links.slice(shown.length)} />
            </ul>
          </details>
        </li>
      )}
    </ul>
  );
}

/** The header links in the menu on phones. */
const MenuLinks = ({ at }: { at: PageDrawing }): ComponentChildren =>
  at.view.site.look.header.links.length === 0 ? null : (
    <details class="menu-links">
      <summary>{at.texts.more}</summary>
      <ul>
        <OpenItems at={at} items={at.view.site.look.header.links} />
      </ul>
    </details>
  );

/** The search form of the site. With scripts, results appear while typing. */
const SearchForm = ({ at }: { at: PageDrawing }): ComponentChildren => (
  <search>
    <site-search data-results={hrefOf(at.view, '~/search.json')} data-none={at.texts.noResults}>
      <form action={hrefOf(at.view, '~/search')} method="get">
        <label class="hidden" for="~search-words">
          {at.texts.search}
        </label>
        <input
          id="~search-words"
          type="search"
          name="q"
          placeholder={at.texts.searchPlaceholder}
          maxLength={256}
          autocomplete="off"
        />
      </form>
    </site-search>
  </search>
);

/** The footer of all pages. Draws nothing if it is empty. */
export function Footer({ at }: { at: PageDrawing }): ComponentChildren {
  const { footer, socialAccounts, privacyPolicy, trademark } = at.view.site.look;
  const accounts = socialAccounts.filter(({ display }) => display.footer);
  const privacy = safeAddress(privacyPolicy.url);
  const isEmpty =
    footer.groups.length + accounts.length === 0 && footer.copyright === undefined && privacy === undefined;
  if (isEmpty && footer.logo === undefined && !trademark.enabled) return null;
  return (
    <footer class="bottom">
      {footer.logo !== undefined && <Pair of={footer.logo} alt={at.view.site.title} />}
      {footer.groups.map((group) => (
        <section>
          <h2>{group.localizedTitle?.[at.locale] ?? group.title}</h2>
          <ul>
            {group.links.map((link) => (
              <li>
                <Anchor at={at} to={at.view.resolve(link.to)?.to}>
                  {link.localizedTitle?.[at.locale] ?? link.title}
                </Anchor>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div class="last">
        {footer.copyright !== undefined && <small>{footer.copyright}</small>}
        {trademark.enabled && <small>{at.texts.madeWith.replace('{name}', 'Octavo')}</small>}
        {privacy !== undefined && (
          <Anchor at={at} to={privacy}>
            {at.texts.privacy}
          </Anchor>
        )}
        <Accounts at={at} place="footer" />
      </div>
    </footer>
  );
}

type Account = SiteCustomization['socialAccounts'][number];
type Platform = [name: string, icon: string, address: string];

/** Name, icon and URL of each platform. */
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

/** Returns the URL of an account from its handle (with or without `@`) or its full URL. */
function addressOf({ platform, handle }: Account): string {
  if (/^https?:/i.test(handle)) return safeAddress(handle) ?? '';
  const bare = handle.replace(/^@/, '');
  const [, user, host] = platform === 'mastodon' ? (/^([^@/]+)@([^@/]+)$/.exec(bare) ?? []) : [];
  if (user !== undefined) return `https://${host}/@${user}`;
  const sign = platform === 'medium' && handle.startsWith('@') ? '@' : '';
  return `${platforms[platform][2]}${sign}${bare}`;
}

/** Social accounts of the site, as icons with labels. */
function Accounts({ at, place }: { at: PageDrawing; place: 'header' | 'footer' }): ComponentChildren {
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
