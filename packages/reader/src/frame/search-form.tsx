import type { ComponentChildren } from 'preact';
import { hrefOf, type PageDrawing } from '../drawing.ts';

/** The search of the site, as a plain form; where scripts run, results come as one writes. */
export const SearchForm = ({ at }: { at: PageDrawing }): ComponentChildren => (
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
