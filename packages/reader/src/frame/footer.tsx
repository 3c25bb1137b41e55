import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { safeAddress } from '../references.ts';
import { Anchor } from './anchor.tsx';
import { Pair } from './pair.tsx';

/** Where the accounts of each platform are; `@` before a handle is left out. */
const platforms: Record<string, string> = {
  twitter: 'https://x.com/',
  instagram: 'https://www.instagram.com/',
  facebook: 'https://www.facebook.com/',
  linkedin: 'https://www.linkedin.com/',
  github: 'https://github.com/',
  discord: 'https://discord.com/invite/',
  slack: 'https://',
  youtube: 'https://www.youtube.com/',
  tiktok: 'https://www.tiktok.com/@',
  reddit: 'https://www.reddit.com/',
  bluesky: 'https://bsky.app/profile/',
  mastodon: 'https://',
  threads: 'https://www.threads.net/@',
  medium: 'https://medium.com/',
};

/** What stands below all pages of a site; nothing where there is nothing to say. */
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
      <p>
        {footer.copyright !== undefined && <small>{footer.copyright}</small>}
        {accounts.map(({ platform, handle }) => (
          <Anchor at={at} to={`${platforms[platform] ?? 'https://'}${handle.replace(/^@/, '')}`}>
            {platform}
          </Anchor>
        ))}
        {trademark.enabled && <small>{at.texts.madeWith} Octavo</small>}
        {privacy !== undefined && <a href={privacy}>Privacy</a>}
      </p>
    </footer>
  );
}
