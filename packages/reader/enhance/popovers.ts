/** Closes a popover when keyboard focus leaves it, as browsers do for clicks outside. */
export function closePopoversOnFocusLeave(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    const popoverId = target.getAttribute('popovertarget');
    for (const popover of document.querySelectorAll<HTMLElement>(':popover-open'))
      if (popover.id !== popoverId && !popover.contains(target)) popover.hidePopover();
  });
}
