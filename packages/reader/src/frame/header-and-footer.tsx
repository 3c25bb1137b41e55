import type { SiteCustomization } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { RenderContext } from '../context.ts';
import { toHref } from '../context.ts';
import { Anchor, Icon, isIcon, ThemedImage } from '../elements.tsx';
import { getHeaderPreset } from '../theme/tokens.ts';
import { toSafeAddress } from '../view.ts';
import { Navigation, Variants } from './navigation.tsx';

const menuId = '~menu';

/** The sidebar. On phones, a button in the header opens it, and it also contains the header links. */
export function Menu({ context }: { context: RenderContext }): ComponentChildren {
  const { customization } = context.view.site;
  const isFilled =
    customization.header.links.length > 0 || customization.socialAccounts.some(({ display }) => display.header);
  return (
    <div id={menuId} class="side" popover="auto">
      <p class="menu-head">
        {context.view.site.title}
        <button type="button" popovertarget={menuId} popovertargetaction="hide" aria-label={context.texts.close}>
          <span aria-hidden="true">✕</span>
        </button>
      </p>
      {isFilled && getHeaderPreset(customization) !== 'none' && (
        <nav class="of-header" aria-label={context.texts.menu}>
          <MenuLinks context={context} />
          <Accounts context={context} place="header" />
        </nav>
      )}
      <Variants context={context} />
      <Navigation context={context} />
    </div>
  );
}

/** The announcement banner of the site. */
export function Announcement({ context }: { context: RenderContext }): ComponentChildren {
  const { announcement } = context.view.site.customization;
  if (announcement === undefined || !announcement.enabled) return null;
  const { link, message, localizedMessage, style } = announcement;
  const text = localizedMessage?.[context.locale] ?? message;
  return (
    <aside class={`announcement ${style}`} aria-label={text.slice(0, 30)}>
      <p>
        {text}{' '}
        {link !== undefined && (
          <Anchor context={context} to={context.view.resolve(link.to)?.to}>
            {link.localizedTitle?.[context.locale] ?? link.title}
          </Anchor>
        )}
      </p>
    </aside>
  );
}

/** The name or logo of the site, with a link to the home page. */
const Brand = ({ context }: { context: RenderContext }): ComponentChildren => {
  const { customization, title } = context.view.site;
  return (
    <Anchor context={context} to={context.view.resolve(customization.header.primaryLink)?.to ?? ''} class="brand">
      {customization.header.logo === undefined ? title : <ThemedImage image={customization.header.logo} alt={title} />}
    </Anchor>
  );
};

/** The header of all pages. If the site hides it, only the controls that are available nowhere else are drawn. */
export function Header({ context }: { context: RenderContext }): ComponentChildren {
  const { customization } = context.view.site;
  const preset = getHeaderPreset(customization);
  const isShown = preset !== 'none';
  return (
    <header class={`top ${preset}`}>
      <button type="button" class="menu" popovertarget={menuId} aria-label={context.texts.menu}>
        <span aria-hidden="true">☰</span>
      </button>
      {isShown && <Brand context={context} />}
      {/* Otherwise the sidebar contains it. */}
      {!context.view.page.layout.tableOfContents && <Variants context={context} />}
      <SearchForm context={context} />
      {isShown && <HeaderLinks context={context} />}
      {isShown && <Accounts context={context} place="header" />}
      {customization.themes.toggeable && <theme-switch data-label={context.texts.theme} />}
    </header>
  );
}

type HeaderItem = SiteCustomization['header']['links'][number];
type ItemLink = Pick<HeaderItem, 'title' | 'localizedTitle' | 'style' | 'to'>;

/** Maximum number of links in the header. The others are in a menu after them. */
const maxLinks = 6;

/** A link of the header or of its menus. */
function ItemAnchor({ context, item }: { context: RenderContext; item: ItemLink }): ComponentChildren {
  const style = item.style?.startsWith('button') ? { class: item.style } : {};
  return (
    <Anchor context={context} to={context.view.resolve(item.to)?.to} {...style}>
      {item.localizedTitle?.[context.locale] ?? item.title}
    </Anchor>
  );
}

/** Returns the links of an item, starting with its own if it has one. */
const getLinks = ({ links, ...item }: HeaderItem): ItemLink[] => [...(item.to === null ? [] : [item]), ...links];

const List = ({ context, links }: { context: RenderContext; links: ItemLink[] }): ComponentChildren => (
  <ul>
    {links.map((link) => (
      <li>
        <ItemAnchor context={context} item={link} />
      </li>
    ))}
  </ul>
);

/** A header item with a menu of its links. */
function Item({ context, item }: { context: RenderContext; item: HeaderItem }): ComponentChildren {
  if (item.links.length === 0) return <ItemAnchor context={context} item={item} />;
  return (
    <details class="drop">
      <summary>{item.localizedTitle?.[context.locale] ?? item.title}</summary>
      <List context={context} links={getLinks(item)} />
    </details>
  );
}

/** Items with all their links shown. */
const OpenItems = ({ context, items }: { context: RenderContext; items: HeaderItem[] }): ComponentChildren =>
  items.map((item) => (
    <li class={item.links.length === 0 ? undefined : 'group'}>
      {item.links.length === 0 ? (
        <ItemAnchor context={context} item={item} />
      ) : (
        <>
          <p>{item.localizedTitle?.[context.locale] ?? item.title}</p>
          <List context={context} links={getLinks(item)} />
        </>
      )}
    </li>
  ));

/** The links in the header, if there is room for them. */
function HeaderLinks({ context }: { context: RenderContext }): ComponentChildren {
  const { links } = context.view.site.customization.header;
  if (links.length === 0) return null;
  const visibleLinks = links.length > maxLinks ? links.slice(0, maxLinks - 1) : links;
  return (
    <ul class="links">
      {visibleLinks.map((item) => (
        <li>
          <Item context={context} item={item} />
        </li>
      ))}
      {links.length > visibleLinks.length && (
        <li>
          <details class="drop">
            <summary>{context.texts.more}</summary>
            <ul>
              <OpenItems context={context} items={links.slice(visibleLinks.length)} />
            </ul>
          </details>
        </li>
      )}
    </ul>
  );
}

/** The header links in the menu on phones. */
const MenuLinks = ({ context }: { context: RenderContext }): ComponentChildren =>
  context.view.site.customization.header.links.length === 0 ? null : (
    <details class="menu-links">
      <summary>{context.texts.more}</summary>
      <ul>
        <OpenItems context={context} items={context.view.site.customization.header.links} />
      </ul>
    </details>
  );

/** The search form of the site. With scripts, suggestions or results appear while typing. */
const SearchForm = ({ context }: { context: RenderContext }): ComponentChildren => (
  <search>
    <site-search
      data-results={toHref(context.view, '~/search.json')}
      data-all={context.texts.allResults}
      data-none={context.texts.noResults}
    >
      <form action={toHref(context.view, '~/search')} method="get">
        <label class="hidden" for="~search-words">
          {context.texts.search}
        </label>
        <input
          id="~search-words"
          type="search"
          name="q"
          placeholder={context.texts.search}
          maxLength={256}
          autocomplete="off"
        />
      </form>
    </site-search>
  </search>
);

/** The footer of all pages. Draws nothing if it is empty. */
export function Footer({ context }: { context: RenderContext }): ComponentChildren {
  const { footer, socialAccounts, privacyPolicy, trademark } = context.view.site.customization;
  const accounts = socialAccounts.filter(({ display }) => display.footer);
  const privacy = toSafeAddress(privacyPolicy.url);
  const isEmpty =
    footer.groups.length + accounts.length === 0 && footer.copyright === undefined && privacy === undefined;
  if (isEmpty && footer.logo === undefined && !trademark.enabled) return null;
  return (
    <footer class="bottom">
      {footer.logo !== undefined && <ThemedImage image={footer.logo} alt={context.view.site.title} />}
      {footer.groups.map((group) => (
        <section>
          <h2>{group.localizedTitle?.[context.locale] ?? group.title}</h2>
          <ul>
            {group.links.map((link) => (
              <li>
                <Anchor context={context} to={context.view.resolve(link.to)?.to}>
                  {link.localizedTitle?.[context.locale] ?? link.title}
                </Anchor>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div class="last">
        {footer.copyright !== undefined && <small>{footer.copyright}</small>}
        {trademark.enabled && <small>{context.texts.madeWith.replace('{name}', 'Octavo')}</small>}
        {privacy !== undefined && (
          <Anchor context={context} to={privacy}>
            {context.texts.privacy}
          </Anchor>
        )}
        <Accounts context={context} place="footer" />
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
function getAccountUrl({ platform, handle }: Account): string {
  if (/^https?:/i.test(handle)) return toSafeAddress(handle) ?? '';
  const bareHandle = handle.replace(/^@/, '');
  const [, user, host] = platform === 'mastodon' ? (/^([^@/]+)@([^@/]+)$/.exec(bareHandle) ?? []) : [];
  if (user !== undefined) return `https://${host}/@${user}`;
  const sign = platform === 'medium' && handle.startsWith('@') ? '@' : '';
  return `${platforms[platform][2]}${sign}${bareHandle}`;
}

/** Social accounts of the site, as icons with labels. */
function Accounts({
  context,
  place: location,
}: {
  context: RenderContext;
  place: 'header' | 'footer';
}): ComponentChildren {
  const accounts = context.view.site.customization.socialAccounts.filter(({ display }) => display[location]);
  if (accounts.length === 0) return null;
  return (
    <ul class="accounts">
      {accounts.map((account) => {
        const [name, icon] = platforms[account.platform];
        const hasIcon = isIcon(context, icon);
        return (
          <li>
            <Anchor context={context} to={getAccountUrl(account)}>
              <Icon context={context} name={icon} />
              <span class={hasIcon ? 'hidden' : undefined}>{name}</span>
            </Anchor>
          </li>
        );
      })}
    </ul>
  );
}
