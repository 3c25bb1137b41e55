const identifier = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const number = /-?(?:0[xX][\da-fA-F]+|(?:\d[\d_]*)?\.?\d+(?:[eE][+-]?\d+)?)/y;
const blank = /[\s\ufeff]+/y;
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0', '\n': '' };
/** After these characters, a slash starts a regular expression instead of a division. */
const beforePattern = new Set('(,=:[!&|?{};+-*%<>~^');
const maxTemplates = 50;
const openers = '([{';
const closers = ')]}';

/** A position in a script. It moves forward token by token and never back by more than one token. */
export class ScriptCursor {
  readonly text: string;
  at: number;
  #templates = 0;

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  get char(): string {
    return this.text[this.at] ?? '';
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Skips whitespace and comments. */
  skipBlank(): void {
    for (;;) {
      this.match(blank);
      const close = this.text.startsWith('//', this.at) ? '\n' : this.text.startsWith('/*', this.at) ? '*/' : undefined;
      if (close === undefined) return;
      const end = this.text.indexOf(close, this.at + 2);
      this.at = end < 0 ? this.text.length : end + close.length;
    }
  }

  take(token: string): boolean {
    this.skipBlank();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  identifier(): string | undefined {
    this.skipBlank();
    return this.match(identifier);
  }

  number(): number | undefined {
    const found = this.match(number);
    return found === undefined ? undefined : Number(found.replace(/_/g, ''));
  }

  /** Reads a string or a template. Returns undefined for a template with expressions, which is skipped. */
  string(): string | undefined {
    const quote = this.char;
    if (quote === '`') return this.#template();
    const parts: string[] = [];
    this.at += 1;
    for (let from = this.at; ; this.at += 1) {
      const char = this.char;
      if (char === '' || char === '\n' || char === quote) {
        parts.push(this.text.slice(from, this.at));
        if (char === quote) this.at += 1;
        return parts.join('');
      }
      if (char !== '\\') continue;
      parts.push(this.text.slice(from, this.at), this.#escape());
      from = this.at + 1;
    }
  }

  /** Returns the character of an escape sequence. The cursor is then at the last character of the sequence. */
  #escape(): string {
    this.at += 1;
    const [, hex = ''] = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/.exec(this.text.slice(this.at, this.at + 5)) ?? [];
    const [, unit = hex] = /^u([\da-fA-F]{4})/.exec(this.text.slice(this.at, this.at + 5)) ?? [];
    if (unit !== '') {
      this.at += unit.length;
      return String.fromCharCode(Number.parseInt(unit, 16));
    }
    return escapes[this.char] ?? this.char;
  }

  #template(): string | undefined {
    const parts: string[] = [];
    let isPlain = true;
    this.at += 1;
    let from = this.at;
    for (; this.char !== '' && this.char !== '`'; this.at += 1) {
      if (this.char === '\\') {
        parts.push(this.text.slice(from, this.at), this.#escape());
        from = this.at + 1;
      } else if (this.text.startsWith('${', this.at)) {
        isPlain = false;
        this.at += 2;
        this.#templates += 1;
        if (this.#templates <= maxTemplates) this.skipTo('}');
        this.#templates -= 1;
      }
    }
    parts.push(this.text.slice(from, this.at));
    this.at += 1;
    return isPlain ? parts.join('') : undefined;
  }

  /** Skips one token. Returns the bracket if it is one, otherwise an empty string. */
  skipToken(): string {
    const { char } = this;
    if (char === '"' || char === "'" || char === '`') this.string();
    else if (char === '/' && this.#isPattern()) this.#pattern();
    else if (this.match(identifier) === undefined) {
      this.at += 1;
      return openers.includes(char) || closers.includes(char) ? char : '';
    }
    return '';
  }

  /** Moves to one of the given characters outside of brackets, or to the closing bracket of the surrounding pair. */
  skipTo(ends: string): void {
    let depth = 0;
    for (this.skipBlank(); this.at < this.text.length; this.skipBlank()) {
      if (depth === 0 && (ends.includes(this.char) || closers.includes(this.char))) return;
      const bracket = this.skipToken();
      if (bracket !== '') depth += openers.includes(bracket) ? 1 : -1;
    }
  }

  #isPattern(): boolean {
    let before = this.at - 1;
    while (before >= 0 && /\s/.test(this.text[before] ?? '') && this.at - before < 100) before -= 1;
    return before < 0 || beforePattern.has(this.text[before] ?? '');
  }

  #pattern(): void {
    let isClass = false;
    for (this.at += 1; this.char !== '' && this.char !== '\n'; this.at += 1) {
      if (this.char === '\\') this.at += 1;
      else if (this.char === '[') isClass = true;
      else if (this.char === ']') isClass = false;
      else if (this.char === '/' && !isClass) break;
    }
    this.at += 1;
  }
}
