/** Returns the element that the URL fragment identifies, or null. */
export function targetOfAddress(): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return document.getElementById(location.hash.slice(1));
  }
}

/** Opens the collapsed elements that contain or are the target of the URL fragment. */
function openTarget(): void {
  const target = targetOfAddress();
  const closed = [];
  for (let each = target?.closest('details'); each; each = each.parentElement?.closest('details')) closed.push(each);
  if (closed.every(({ open }) => open)) return;
  for (const each of closed) each.open = true;
  target?.scrollIntoView();
}

/** Opens collapsed content whenever the URL fragment points into it. */
export function openTargets(): void {
  openTarget();
  window.addEventListener('hashchange', openTarget);
}
