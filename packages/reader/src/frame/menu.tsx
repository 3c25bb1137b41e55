import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import { headerPresetOf } from '../theme/header-colors.ts';
import { Accounts } from './accounts.tsx';
import { MenuLinks } from './header-links.tsx';
import { Navigation } from './navigation.tsx';
import { Variants } from './places.tsx';

export const menuId = '~menu';

/** What stands beside the page. On phones it opens over it, by a button of the header, with what the header has no room for. */
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
