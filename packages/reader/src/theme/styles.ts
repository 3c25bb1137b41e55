import type { SiteCustomization } from '@octavo/schema';

/** Declarations of style that a page needs: each gets the name of a class. The policy of a page allows no `style` attributes. */
export class Sheet {
  readonly #classes = new Map<string, string>();

  /** The name of a class with these declarations, of which the values must be safe: numbers, lengths, colours. */
  classOf(declarations: string): string {
    const known = this.#classes.get(declarations);
    if (known !== undefined) return known;
    const name = `s${this.#classes.size}`;
    this.#classes.set(declarations, name);
    return name;
  }

  /** The rules as CSS. */
  text(): string {
    return [...this.#classes].map(([declarations, name]) => `.${name}{${declarations}}`).join('');
  }
}

/** The classes by which the styles draw what a customization sets beside colours. */
export function lookClassesOf({ styling }: SiteCustomization): string[] {
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

const named = ['green', 'blue', 'red', 'orange', 'yellow', 'purple', 'pink', 'violet', 'cyan'];
const ofTheme = ['primary', 'info', 'success', 'warning', 'danger', 'tint'];
const tones = new Map([
  ...named.map((name) => [name, name] as const),
  ...ofTheme.map((name) => [`$${name}`, name === 'tint' ? 'primary' : name] as const),
]);

/** The name of a colour that a document may name, as the styles have it; undefined where it is the usual one, or none. */
export const toneOf = (color: unknown): string | undefined =>
  typeof color === 'string' ? tones.get(color.toLowerCase()) : undefined;

/** Sets the theme that the reader has chosen before anything is drawn. It stands in the page, whose policy names its hash. */
export const themeScript =
  "try{const t=localStorage.getItem('octavo-theme');if(t)document.documentElement.dataset.theme=t}catch{}";
