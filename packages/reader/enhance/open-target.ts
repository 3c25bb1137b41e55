/** Opens what the address names, and what that stands in. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
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
