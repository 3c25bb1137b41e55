/** Returns the element that the URL fragment identifies, or null. */
export function findFragmentTarget(): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return document.getElementById(location.hash.slice(1));
  }
}

/** Opens the collapsed elements that contain or are the target of the URL fragment. */
function openFragmentTarget(): void {
  const target = findFragmentTarget();
  const closed = [];
  for (let each = target?.closest('details'); each; each = each.parentElement?.closest('details')) closed.push(each);
  if (closed.every(({ open }) => open)) return;
  for (const each of closed) each.open = true;
  target?.scrollIntoView();
}

/** Opens collapsed content whenever the URL fragment points into it. */
export function openTargets(): void {
  openFragmentTarget();
  window.addEventListener('hashchange', openFragmentTarget);
}
