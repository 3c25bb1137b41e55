const root = document.documentElement;

export const isDark = (): boolean =>
  root.dataset.theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : root.dataset.theme === 'dark';

/** Calls `call` when the page may have changed between dark and light. */
export function onThemeChange(call: () => void): void {
  new MutationObserver(call).observe(root, { attributeFilter: ['data-theme'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', call);
}
