import type { SiteCustomization } from '@octavo/schema';

/** Collects style declarations of a page as classes. The page's policy forbids `style` attributes. */
export class StyleSheetBuilder {
  readonly #classes = new Map<string, string>();

  /** @param drawn The declarations of elements that are already drawn, in the order of their classes. */
  constructor(drawn: string[]) {
    for (const declarations of drawn) this.addClass(declarations);
  }

  get declarations(): string[] {
    return [...this.#classes.keys()];
  }

  /** Returns a class with these declarations. Their values must be safe: numbers, lengths, colors. */
  addClass(declarations: string): string {
    const className = this.#classes.get(declarations);
    if (className !== undefined) return className;
    const name = `s${this.#classes.size}`;
    this.#classes.set(declarations, name);
    return name;
  }

  /** Returns the rules as CSS. */
  toCss(): string {
    return [...this.#classes].map(([declarations, name]) => `.${name}{${declarations}}`).join('');
  }
}

/** Returns the classes for a customization's settings other than colors. */
export function getThemeClasses({ styling }: SiteCustomization): string[] {
  const { theme, links, depth, search, sidebar } = styling;
  return [
    ...(theme === 'bold' || theme === 'gradient' ? [`theme-${theme}`] : []),
    ...(links === 'default' ? [] : [`links-${links}`]),
    ...(depth === 'subtle' ? [] : [`depth-${depth}`]),
    ...(search === 'subtle' ? [] : [`search-${search}`]),
    ...(sidebar.background === 'default' ? [] : [`sidebar-${sidebar.background}`]),
    ...(sidebar.list === 'default' ? [] : [`list-${sidebar.list}`]),
  ];
}

const colorNames = ['green', 'blue', 'red', 'orange', 'yellow', 'purple', 'pink', 'violet', 'cyan'];
const themeColorNames = ['primary', 'info', 'success', 'warning', 'danger', 'tint'];
const tones = new Map([
  ...colorNames.map((name) => [name, name] as const),
  ...themeColorNames.map((name) => [`$${name}`, name === 'tint' ? 'primary' : name] as const),
]);

/** Returns the style name of a color in a document; undefined for the default or an unknown color. */
export const toTone = (color: unknown): string | undefined =>
  typeof color === 'string' ? tones.get(color.toLowerCase()) : undefined;

/** Sets the reader's chosen theme before the first paint. The script is inline; the page's policy contains its hash. */
export const themeScript =
  "try{const t=localStorage.getItem('octavo-theme');if(t)document.documentElement.dataset.theme=t}catch{}";
