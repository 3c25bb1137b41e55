import { scrollIntoBox } from './current-entry.ts';

/** Marks the outline entry of the heading in view. When the outline is an overlay, choosing an entry closes it. */
export class PageOutline extends HTMLElement {
  connectedCallback(): void {
    const list = this.querySelector('nav');
    list?.addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('a') !== null && list.matches(':popover-open'))
        list.hidePopover();
    });
    const links = new Map(
      [...this.querySelectorAll('a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
    );
    const visible = new Set<string>();
    const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
    const watch = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) visible.add(target.id);
          else visible.delete(target.id);
        }
        const current = headings.find(({ id }) => visible.has(id));
        if (current === undefined) return;
        for (const [id, link] of links) {
          if (id !== current.id) {
            link.removeAttribute('aria-current');
            continue;
          }
          link.setAttribute('aria-current', 'true');
          if (list !== null) scrollIntoBox(list, link);
        }
      },
      { rootMargin: '-64px 0px -60% 0px' },
    );
    for (const heading of headings) watch.observe(heading);
  }
}
