const root = document.documentElement;

/** Whether the page is dark. */
export const isDark = (): boolean =>
  root.dataset.theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : root.dataset.theme === 'dark';

/** Calls when the page may have become dark or light. */
export function onThemeChange(call: () => void): void {
  new MutationObserver(call).observe(root, { attributeFilter: ['data-theme'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', call);
}
