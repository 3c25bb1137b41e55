import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { safeAddress } from '../references.ts';
import { Accounts } from './accounts.tsx';
import { Anchor } from './anchor.tsx';
import { Pair } from './pair.tsx';

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
      <div class="last">
        {footer.copyright !== undefined && <small>{footer.copyright}</small>}
        {trademark.enabled && <small>{at.texts.madeWith} Octavo</small>}
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
