import fc from 'fast-check';
import { json, makeChangeRequest } from '../support/content.ts';
import { drawValues, seed } from '../support/random.ts';
import { type Files, GitSide } from './git-side.ts';
import { flattenPages, getSiblings, type Listed } from './listed-pages.ts';

const most = 9;
const latin = Buffer.from('# Latin\n\ncaf\u00e9\n', 'latin1');

/** File names that a server may handle wrongly, and files that a space does not store. */
const odd: [string, string | Buffer][] = [
  ['docs/Why?.md', '# Why\n\nodd\n'],
  ['sp ace/\u00fcn\u00ef code.md', '# Odd\n\nodd\n'],
  ['case.md', '# Case\n\nlower\n'],
  ['Case.md', '# Case\n\nupper\n'],
  ['latin.md', latin],
  ['.github/T.md', 'hidden\n'],
  ['src/program.js', 'code\n'],
  ['img/a.png', Buffer.from([137, 80, 78, 71, 0, 255])],
  ['.gitbook/includes/inc.md', 'included\n\nodd\n'],
  ['.gitbook/vars.yaml', '# Ours\nfirst: one\nlist:\n  - x\n'],
];

export interface Owner {
  id: string;
  token: string;
}

/** Edits a repository and a space at random. Each written word is unique. */
export class World {
  readonly #numbers: number[];
  readonly git: GitSide;
  readonly space: Owner;
  #drawn = 0;
  #words = 0;
  /** The repository's files when it was last read. */
  files: Files = new Map();
  /** Words that were written and not removed since. */
  readonly #alive = new Set<string>();
  /** Log of all actions, for debugging a failure. */
  readonly log: string[] = [];
  /** Words that occur in conflicts. */
  readonly held = new Set<string>();
  /** Files that were changed, added or deleted in Octavo in this round. */
  readonly #touched = new Set<string>();
  /** Former names of files that a commit renamed in this round, by new name. */
  readonly #former = new Map<string, string>();

  private constructor(git: GitSide, space: Owner, { index, rounds }: { index: number; rounds: number }) {
    this.git = git;
    this.space = space;
    this.#numbers = drawValues(fc.nat({ max: 1_000_000 }), rounds * 50, seed + index);
  }

  static async make(space: Owner, size: { index: number; rounds: number }): Promise<World> {
    const names = ['a', 'b', 'c', 'd'];
    const files: Files = new Map(odd.map(([name, bytes]) => [name, Buffer.from(bytes)]));
    for (const name of names) files.set(`${name}.md`, Buffer.from(`# ${name}\n\none\n\ntwo\n\nthree\n`));
    const lines = names.map((name) => `* [${name}](${name}.md)\n`);
    const summary = `# Table of contents\n\n${lines.slice(0, 2).join('')}\n## Group\n\n${lines.slice(2).join('')}`;
    files.set('SUMMARY.md', Buffer.from(summary));
    const world = new World(await GitSide.make(files), space, size);
    world.files = files;
    return world;
  }

  drawBelow(end: number): number {
    this.#drawn += 1;
    return (this.#numbers[this.#drawn % this.#numbers.length] ?? 0) % end;
  }

  #one = <Value>(of: Value[]): Value | undefined => of[this.drawBelow(of.length)];

  begin(): void {
    this.#touched.clear();
    this.#former.clear();
  }

  isTouched(path: string): boolean {
    const former = this.#former.get(path);
    return this.#touched.has(path) || (former !== undefined && this.isTouched(former));
  }

  get alive(): string[] {
    return [...this.#alive].filter((word) => !this.held.has(word));
  }

  hold(text: string): void {
    for (const word of getWords(text)) this.held.add(word);
  }

  #createWord(): string {
    this.#words += 1;
    const word = `w${this.#words}x`;
    this.#alive.add(word);
    return word;
  }

  #forget(text: string): void {
    for (const word of getWords(text)) this.#alive.delete(word);
  }

  /** Replaces a line of a text or adds one, and forgets the words of the replaced line. */
  #editText(text: string): string {
    const lines = text.replace(/\n$/, '').split('\n');
    const at = 2 + 2 * this.drawBelow(Math.max(1, Math.floor((lines.length - 1) / 2)));
    if (this.drawBelow(3) === 0 || lines[at] === undefined) return `${[...lines, '', this.#createWord()].join('\n')}\n`;
    this.#forget(lines[at] ?? '');
    lines[at] = this.#createWord();
    return `${lines.join('\n')}\n`;
  }

  #newPage = (): { name: string; text: string } => {
    const word = this.#createWord();
    return { name: `p${word}`, text: `# P${word}\n\n${this.#createWord()}\n\n${this.#createWord()}\n` };
  };

  /** Commits one to three changes. */
  async commit(): Promise<void> {
    for (let times = 1 + this.drawBelow(3); times > 0; times -= 1) this.#changeFiles();
    this.log.push(`commit ${this.#words}`);
    await this.git.commit(this.files, `Commit ${this.#words}`);
  }

  #text = (name: string): string => this.files.get(name)?.toString() ?? '';
  #write = (name: string, text: string) => this.files.set(name, Buffer.from(text));
  #relist = (change: (summary: string) => string) => this.#write('SUMMARY.md', change(this.#text('SUMMARY.md')));

  #changeFiles(): void {
    const names = [...this.files.keys()].filter((name) => /^[a-z\d-]+\.md$/.test(name) && name !== 'latin.md');
    const name = this.#one(names) ?? '';
    const what = this.drawBelow(16);
    this.log.push(`git ${what} ${name} ${this.#words}`);
    if (what < 5 && name) this.#write(name, this.#editText(this.#text(name)));
    else if (what === 5 && names.length > 4) this.#remove(name);
    else if (what === 6 && name) this.#rename(name, `r${this.#words}-${name}`.slice(-40));
    else if (what === 7) this.#relist(reverseLines);
    else if (what === 8) this.#relist((summary) => summary.replace(/^## .*$/m, `## Group ${this.#words}`));
    else if (what === 9) this.#setVariable();
    else if (what === 10) this.files.set('img/a.png', Buffer.from([137, 80, 78, 71, 0, this.drawBelow(256)]));
    else if (what === 11) this.#write('.github/T.md', `hidden ${this.#words}\n`);
    else if (what === 12 && !this.files.delete('mkdocs.yml'))
      this.#write('mkdocs.yml', 'site_name: x\nnav:\n  - a.md\n');
    else if (what === 13) this.files.set('latin.md', Buffer.concat([latin, Buffer.from(`${this.#words}\n`)]));
    else if (what === 14)
      this.#write('.gitbook/includes/inc.md', this.#editText(this.#text('.gitbook/includes/inc.md')));
    else if (names.length < most) {
      const page = this.#newPage();
      this.#write(`${page.name}.md`, page.text);
      this.#relist((summary) => `${summary}* [P${page.name.slice(1)}](${page.name}.md)\n`);
    }
  }

  #setVariable(): void {
    const text = this.#text('.gitbook/vars.yaml');
    this.#forget(/^first: .*$/m.exec(text)?.[0] ?? '');
    this.#write('.gitbook/vars.yaml', text.replace(/^first: .*$/m, `first: ${this.#createWord()}`));
  }

  #remove(name: string): void {
    this.#forget(this.#text(name));
    this.files.delete(name);
    this.#relist((summary) => summary.replace(new RegExp(`^.*\\(${name.replace('.', '\\.')}\\).*\\n`, 'm'), ''));
  }

  #rename(name: string, to: string): void {
    const bytes = this.files.get(name);
    if (bytes === undefined || this.files.has(to)) return;
    this.files.delete(name);
    this.files.set(to, bytes);
    this.#former.set(to, name);
    this.#relist((summary) => summary.replace(`(${name})`, `(${to})`));
  }

  /** Makes one change in Octavo, live or in a change request that is merged. */
  async edit(): Promise<void> {
    const at = `/v1/spaces/${this.space.id}`;
    const { pages, reusableContents } = await json<{ pages: Listed[]; reusableContents: Listed[] }>(
      `${at}/content?computed=false`,
      this.space,
    );
    const change = await this.#chooseChange([...flattenPages(pages)], reusableContents);
    if (change === undefined) return;
    this.log.push(JSON.stringify(change));
    if (this.drawBelow(3) > 0) {
      await json(`${at}/content`, { ...this.space, body: { changes: [change] } });
      return;
    }
    const { id } = await makeChangeRequest(this.space);
    await json(`${at}/change-requests/${id}/content`, { ...this.space, body: { changes: [change] } });
    await json(`${at}/change-requests/${id}/merge`, { ...this.space, method: 'POST' });
  }

  async #chooseChange(pages: Listed[], contents: Listed[]): Promise<object | undefined> {
    const documents = pages.filter(({ type, title }) => type === 'document' && !['Case', 'Latin'].includes(title));
    const page = this.#one(documents);
    const what = this.drawBelow(11);
    const group = pages.find(({ type }) => type === 'group');
    if (what === 10 && contents[0]) {
      const text = this.#editText(await this.#read(`reusable-contents/${contents[0].id}`));
      this.#touched.add('.gitbook/includes/inc.md');
      return { operation: 'update_reusable_content', reusableContent: contents[0].id, document: { markdown: text } };
    }
    if (what === 9 && group) return { operation: 'update_page', page: group.id, title: `Ours ${this.#words}` };
    if (what === 8) return { operation: 'set_variables', variables: { [`v${this.#words}`]: this.#createWord() } };
    if (!page || what === 7) {
      if (documents.length >= most + 3) return undefined;
      return { operation: 'insert_page', document: { markdown: this.#newPage().text } };
    }
    if (what === 5)
      return { operation: 'update_page', page: page.id, at: this.drawBelow(getSiblings(page, pages).length) };
    const markdown = await this.#read(`page/${page.id}`);
    if (what === 6 && documents.length <= 6) return undefined;
    this.#touched.add(page.git?.path ?? `${page.slug}.md`);
    if (what < 5) return { operation: 'update_page', page: page.id, document: { markdown: this.#editText(markdown) } };
    this.#forget(markdown);
    return { operation: 'delete_page', page: page.id };
  }

  async #read(what: string): Promise<string> {
    return (await json<{ markdown: string }>(`/v1/spaces/${this.space.id}/content/${what}`, this.space)).markdown;
  }
}

export const getWords = (text: string): string[] => text.match(/w\d+x/g) ?? [];

/** Reverses the lines below the last heading. */
function reverseLines(summary: string): string {
  const lines = summary.trimEnd().split('\n');
  const from = lines.findLastIndex((line) => line.startsWith('#')) + 1;
  const items = lines.slice(from).filter(Boolean);
  return items.some((line) => line.startsWith(' '))
    ? summary
    : [...lines.slice(0, from), '', ...items.reverse(), ''].join('\n');
}
