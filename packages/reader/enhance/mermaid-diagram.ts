import { drawDiagram } from './diagram/diagram-frame.ts';
import type { DiagramTheme, RenderedDiagram } from './diagram/drawn-diagram.ts';
import { isDark, onThemeChange } from './page-theme.ts';
import { ZoomImage } from './zoom-image.ts';

const maxAlternative = 300;

/** Reads the computed colors at an element, so that theme-dependent properties have the values of the current theme. */
function readDiagramTheme(element: HTMLElement): DiagramTheme {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const getColor = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    ...{ isDark: isDark(), font: getComputedStyle(element).fontFamily },
    ...{
      page: getColor('--page'),
      surface: getColor('--surface'),
      text: getColor('--text'),
      muted: getColor('--muted'),
    },
    ...{ border: getColor('--border'), primary: getColor('--primary'), background: getColor('--primary-ground') },
  };
  probe.remove();
  return theme;
}

/**
 * A diagram, drawn when it scrolls near the viewport and again when the theme changes. Shows its source if drawing
 * fails.
 */
export class MermaidDiagram extends HTMLElement {
  #source = '';
  #shownKey = '';

  connectedCallback(): void {
    const { frame } = this.dataset;
    this.#source = this.querySelector('code')?.textContent ?? '';
    if (frame === undefined) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        watch.disconnect();
        this.#draw(frame);
        onThemeChange(() => this.#draw(frame));
      },
      { rootMargin: '600px' },
    );
    watch.observe(this);
  }

  async #draw(frame: string): Promise<void> {
    const theme = readDiagramTheme(this);
    const key = JSON.stringify(theme);
    if (key === this.#shownKey) return;
    this.#shownKey = key;
    const diagram = await drawDiagram(frame, { source: this.#source, theme });
    if (key === this.#shownKey) this.#show(diagram);
  }

  #show({ svg, title = '', words = '' }: RenderedDiagram): void {
    if (svg === undefined) return;
    const image = document.createElement('img');
    const label = title === '' ? (this.dataset.label ?? '') : title;
    image.alt = (words === '' ? label : `${label}: ${words}`).slice(0, maxAlternative);
    // An SVG in an `<img>` cannot run scripts or load resources.
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    const zoom = new ZoomImage();
    Object.assign(zoom.dataset, { enlarge: this.dataset.enlarge, close: this.dataset.close });
    zoom.append(image);
    this.replaceChildren(zoom);
  }
}
