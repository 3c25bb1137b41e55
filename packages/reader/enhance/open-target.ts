/** What the address names in the page; null where it names nothing that there is. */
export function targetOfAddress(): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return document.getElementById(location.hash.slice(1));
  }
}

/** Opens what the address names, and what that stands in. */
function openTarget(): void {
  const target = targetOfAddress();
  const closed = [];
  for (let each = target?.closest('details'); each; each = each.parentElement?.closest('details')) closed.push(each);
  if (closed.every(({ open }) => open)) return;
  for (const each of closed) each.open = true;
  target?.scrollIntoView();
}

/** What is closed opens where the address leads into it. */
export function openTargets(): void {
  openTarget();
  window.addEventListener('hashchange', openTarget);
}
