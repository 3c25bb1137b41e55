import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { headerPresetOf } from '../theme/header-colors.ts';
import { Accounts } from './accounts.tsx';
import { Anchor } from './anchor.tsx';
import { HeaderLinks } from './header-links.tsx';
import { menuId } from './menu.tsx';
import { Pair } from './pair.tsx';
import { SearchForm } from './search-form.tsx';

/** The name of the site, or its logo, which lead to the first page. */
const Brand = ({ at }: { at: PageDrawing }): ComponentChildren => {
  const { look, title } = at.view.site;
  return (
    <Anchor at={at} to={at.view.resolve(look.header.primaryLink)?.to ?? ''} class="brand">
      {look.header.logo === undefined ? title : <Pair of={look.header.logo} alt={title} />}
    </Anchor>
  );
};

/** What stands above all pages of a site. Without a header this is what else could not be reached. */
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
