/** Scrolls what `box` has too much of, so far that `entry` is seen in it; the page stays where it is. */
export function showWithin(box: Element, entry: Element): void {
  const [outer, inner] = [box.getBoundingClientRect(), entry.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  if (inner.left < outer.left || inner.right > outer.right)
    box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

/** The entry of the page that is read is seen in the navigation and among the sections, also where there are many. */
export function showCurrentEntries(): void {
  for (const box of document.querySelectorAll('.side, .sections > ul')) {
    const show = (): void => {
      const entry = box.querySelector('.pages [aria-current], :scope > li > :is([aria-current], .current)');
      if (entry !== null) showWithin(box, entry);
    };
    show();
    // On phones the navigation has no place before it is opened.
    box.addEventListener('toggle', show);
  }
}
