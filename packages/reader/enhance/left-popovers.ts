/** What lies over the page goes away when the keyboard goes on elsewhere, as it does when the pointer does. */
export function closeLeftPopovers(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    const opened = target.getAttribute('popovertarget');
    for (const popover of document.querySelectorAll<HTMLElement>(':popover-open'))
      if (popover.id !== opened && !popover.contains(target)) popover.hidePopover();
  });
}
