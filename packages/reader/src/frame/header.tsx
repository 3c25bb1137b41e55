import type { SiteCustomization } from '@octavo/schema';
import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { Anchor } from './anchor.tsx';
import { Pair } from './pair.tsx';
import { SearchForm } from './search-form.tsx';

type HeaderItem = SiteCustomization['header']['links'][number];

/** The name of the site, or its logo, which lead to the first page. */
const Brand = ({ at }: { at: PageDrawing }): ComponentChildren => {
  const { look, title } = at.view.site;
  return (
    <Anchor at={at} to={at.view.resolve(look.header.primaryLink)?.to ?? ''} class="brand">
      {look.header.logo === undefined ? title : <Pair of={look.header.logo} alt={title} />}
    </Anchor>
  );
};

/** A link of the header, with the links below it in a menu that opens. */
function HeaderLink({ item, at }: { item: HeaderItem; at: PageDrawing }): ComponentChildren {
  const title = item.localizedTitle?.[at.locale] ?? item.title;
  const style = item.style?.startsWith('button') ? item.style : undefined;
  const link = (
    <Anchor at={at} to={at.view.resolve(item.to)?.to} {...(style === undefined ? {} : { class: style })}>
      {title}
    </Anchor>
  );
  if (item.links.length === 0) return <li>{link}</li>;
  return (
    <li>
      <details class="drop">
        <summary>{title}</summary>
        <ul>
          {item.to !== null && <li>{link}</li>}
          {item.links.map((each) => (
            <li>
              <Anchor at={at} to={at.view.resolve(each.to)?.to}>
                {each.localizedTitle?.[at.locale] ?? each.title}
              </Anchor>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

/** What stands above all pages of a site. */
export function Header({ at }: { at: PageDrawing }): ComponentChildren {
  const { look } = at.view.site;
  if (look.header.preset === 'none') return <SearchForm at={at} />;
  return (
    <header class={`top ${look.header.preset}`}>
      <button type="button" class="menu" popovertarget="~pages" aria-label={at.texts.menu}>
        <span aria-hidden="true">☰</span>
      </button>
      <Brand at={at} />
      <SearchForm at={at} />
      {look.header.links.length > 0 && (
        <ul class="links">
          {look.header.links.map((item) => (
            <HeaderLink item={item} at={at} />
          ))}
        </ul>
      )}
      {look.themes.toggeable && <theme-switch data-label={at.texts.theme} />}
    </header>
  );
}
