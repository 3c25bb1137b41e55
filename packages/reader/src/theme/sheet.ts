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
