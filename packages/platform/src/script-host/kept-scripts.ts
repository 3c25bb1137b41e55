const maxCharacters = 16_000_000;

/** The texts of scripts that were used last, so that they are read once and not for each run. */
export class KeptScripts {
  /** The longest unused one first. */
  readonly #texts = new Map<string, string>();
  #characters = 0;

  keep(name: string, text: string): void {
    this.#drop(name);
    this.#texts.set(name, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= maxCharacters || oldest === name) return;
      this.#drop(oldest);
    }
  }

  textOf(name: string): string | undefined {
    const text = this.#texts.get(name);
    if (text === undefined) return undefined;
    this.#texts.delete(name);
    this.#texts.set(name, text);
    return text;
  }

  #drop(name: string): void {
    this.#characters -= this.#texts.get(name)?.length ?? 0;
    this.#texts.delete(name);
  }
}
