import { isDark } from './page-theme.ts';

const key = 'octavo-theme';
const root = document.documentElement;

/** A button that switches between the light and dark themes and remembers the choice. */
export class ThemeSwitch extends HTMLElement {
  connectedCallback(): void {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = this.dataset.label ?? '';
    const show = () => {
      button.setAttribute('aria-pressed', String(isDark()));
      button.setAttribute('aria-label', this.dataset.label ?? '');
      button.textContent = isDark() ? '☀' : '☾';
    };
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      try {
        localStorage.setItem(key, root.dataset.theme);
      } catch {
        // If the browser stores nothing, the choice applies only to this page.
      }
      show();
    });
    show();
    this.replaceChildren(button);
  }
}
