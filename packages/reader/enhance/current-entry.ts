/** Scrolls `box` until `entry` is visible in it, without scrolling the page. */
export function scrollIntoBox(box: Element, entry: Element): void {
  const [outer, inner] = [box.getBoundingClientRect(), entry.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  if (inner.left < outer.left || inner.right > outer.right)
    box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

/** Scrolls the navigation and the section tabs to the entry of the current page. */
export function showCurrentEntries(): void {
  for (const box of document.querySelectorAll('.side, .sections > ul')) {
    const show = (): void => {
      const entry = box.querySelector('.pages [aria-current], :scope > li > :is([aria-current], .current)');
      if (entry !== null) scrollIntoBox(box, entry);
    };
    show();
    // On phones the navigation has no size until it is opened, so scroll when it opens.
    box.addEventListener('toggle', show);
  }
}
