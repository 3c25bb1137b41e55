import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Change, Conflict, Outcome, SpaceClient, TreePage } from '../space-client.ts';
import { flatten } from '../space-client.ts';
import type { Branch, ModelMerge, ModelPage } from './reference.ts';
import { getChildren, getCopy, isHidden, isTaken, mergeBranches } from './reference.ts';

export interface ModelRequest {
  id: string;
  base: Branch;
  head: Branch;
  /** The revision of main that the change request is based on. */
  revision: string;
}

const pick = (page: ModelPage, field: string): Partial<ModelPage> =>
  Object.fromEntries(Object.entries(page).filter(([key]) => key === field));

export const getText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/**
 * Fields whose conflicts the model cannot predict. It does not know the position keys that order siblings, so it treats
 * a page that one side only reordered as unchanged, even if the other side deleted it.
 */
const unforeseen = ['place', 'node'];

/** Removes the URLs, which contain the revision. Everything else must stay the same in later revisions. */
const removeUrls = (pages: TreePage[]): unknown =>
  JSON.parse(JSON.stringify(pages, (key, value: unknown) => (key === 'urls' ? undefined : value)));

/** A space and its model. Runs each step on both and compares the results. */
export class World {
  readonly space: SpaceClient;
  readonly main: { pages: Branch } = { pages: new Map() };
  readonly requests: ModelRequest[] = [];
  readonly ids = new Map<string, string>();
  readonly keys = new Map<string, string>([['', '']]);
  readonly #seen = new Map<string, unknown>();
  readonly #organization: string;
  #count = 0;
  #decided = 0;

  constructor(space: SpaceClient, organization: string) {
    this.space = space;
    this.#organization = organization;
  }

  /** Returns the ID of a document: the SHA-256 hash of the organization and the text. */
  #documentId(text: string): string {
    return createHash('sha256').update(`${this.#organization}\0${text}`).digest('hex');
  }

  getId(key: string): string {
    return this.ids.get(key) ?? '';
  }

  getName(id: string): string {
    const key = `k${String(this.#count++).padStart(3, '0')}`;
    this.ids.set(key, id);
    this.keys.set(id, key);
    return key;
  }

  async open(): Promise<ModelRequest> {
    const { id: revision } = await this.space.head();
    const id = await this.space.open();
    const request = { id, base: getCopy(this.main.pages), head: getCopy(this.main.pages), revision };
    this.requests.push(request);
    return request;
  }

  /** Compares a branch with the model and remembers its revision. Returns the tree. */
  async check(model: Branch, branch: string | undefined): Promise<TreePage[]> {
    const { id, pages } = await this.space.callJson<{ id: string; pages: TreePage[] }>(
      `${branch === undefined ? '' : `/change-requests/${branch}`}/content`,
    );
    const found = this.#describePages(pages, '');
    const expected = Object.fromEntries(
      [...model].map(([key, { title, slug, parent, lines }]) => [
        key,
        { title, slug, parent, hidden: isHidden(model, key), document: this.#documentId(getText(lines)) },
      ]),
    );
    expect(found).toEqual(expected);
    for (const [key, page] of model) expect(isTaken(model, page.slug, { parent: page.parent, but: key })).toBe(false);
    this.#remember(id, pages);
    return pages;
  }

  #describePages(pages: TreePage[], parent: string): Record<string, unknown> {
    return Object.assign(
      {},
      ...pages.map((page) => {
        const key = this.keys.get(page.id) ?? page.id;
        const { title, slug, hidden = false, documentId: document } = page;
        return { [key]: { title, slug, parent, hidden, document }, ...this.#describePages(page.pages ?? [], key) };
      }),
    );
  }

  #remember(revision: string, pages: TreePage[]): void {
    const now = removeUrls(pages);
    const before = this.#seen.get(revision);
    if (before !== undefined) expect(now).toEqual(before);
    this.#seen.set(revision, now);
  }

  /** Checks that every revision seen so far still reads the same. */
  async checkHistory(): Promise<void> {
    let turn = 0;
    for (const [revision, before] of this.#seen) {
      const { pages } = await this.space.callJson<{ pages: TreePage[] }>(`/revisions/${revision}/pages`);
      expect(removeUrls(pages)).toEqual(before);
      const all = flatten(pages);
      const page = all[turn++ % Math.max(all.length, 1)];
      if (page === undefined) continue;
      const { markdown } = await this.space.callJson<TreePage>(`/revisions/${revision}/page/${page.id}`);
      expect(this.#documentId(markdown ?? '')).toBe(page.documentId);
    }
  }

  async merge(request: ModelRequest): Promise<void> {
    const model = mergeBranches(request.base, this.main.pages, request.head);
    const before = await this.space.head();
    const { status, body } = await this.space.merge(request.id);
    expect(status).toBe(200);
    if (body.result === 'conflicts') {
      this.#expectSameConflicts(model, body, request);
      expect((await this.space.head()).id).toBe(before.id);
      await this.check(this.main.pages, undefined);
      return;
    }
    expect(model).toMatchObject({ clashes: [], structural: false });
    const alone = before.id === request.revision;
    const theirs = await this.check(request.head, request.id);
    await this.#adoptSlugs(model.result, request, undefined);
    this.main.pages = model.result;
    this.requests.splice(this.requests.indexOf(request), 1);
    const merged = await this.check(this.main.pages, undefined);
    if (alone) expect(flatten(merged).map(({ id }) => id)).toEqual(flatten(theirs).map(({ id }) => id));
  }

  async update(request: ModelRequest): Promise<void> {
    const model = mergeBranches(request.base, this.main.pages, request.head);
    const { status, body } = await this.space.update(request.id);
    expect(status).toBe(200);
    if (body.result === 'conflicts') {
      this.#expectSameConflicts(model, body, request);
      if (model.structural || body.conflicts?.some(({ field }) => unforeseen.includes(field)))
        return this.#drop(request);
    } else expect(model).toMatchObject({ clashes: [], structural: false });
    const changes = (body.conflicts ?? []).map((conflict) => this.#createDecision(conflict, model));
    if (changes.length > 0) {
      expect((await this.space.merge(request.id)).body.error).toMatchObject({ code: 409, conflicts: body.conflicts });
      await this.space.change(changes, request.id);
    }
    await this.#adoptSlugs(model.result, request, request.id);
    request.base = getCopy(this.main.pages);
    request.revision = (await this.space.head()).id;
    request.head = model.result;
    await this.check(request.head, request.id);
  }

  /** Checks that all conflicts of the model are reported, and no others except those that the model cannot predict. */
  #expectSameConflicts(model: ModelMerge, { conflicts = [] }: Outcome, { head }: ModelRequest): void {
    const conflictNames = conflicts.map(({ id, field }) => `${this.keys.get(id)} ${field}`);
    expect(conflictNames).toEqual(expect.arrayContaining(model.clashes));
    const more = conflicts.filter(({ id, field }) => {
      const key = this.keys.get(id) ?? id;
      const deleted = !head.has(key) || !this.main.pages.has(key);
      // A deleted page that is kept may also lose its parent.
      const isKept = deleted && conflicts.some((each) => each.id === id && each.field === 'node');
      return (
        !model.clashes.includes(`${key} ${field}`) && field !== 'place' && !(isKept && /^(node|parent)$/.test(field))
      );
    });
    if (!model.structural) expect(more).toEqual([]);
    else expect(conflictNames).not.toEqual([]);
  }

  async #drop(request: ModelRequest): Promise<void> {
    await this.space.callJson(`/change-requests/${request.id}`, { method: 'PATCH', body: { status: 'archived' } });
    this.requests.splice(this.requests.indexOf(request), 1);
  }

  /** Resolves a conflict by keeping each side in turn. For a text, writes the text of the model instead. */
  #createDecision({ id, field }: Conflict, { result }: ModelMerge): Change {
    const key = this.keys.get(id) ?? '';
    const [mine, live] = [result.get(key), this.main.pages.get(key)];
    const keep = this.#decided++ % 2 === 0 ? 'mine' : 'live';
    if (field === 'document') {
      return { operation: 'update_page', page: id, document: { markdown: getText(mine?.lines ?? []) } };
    }
    if (keep === 'live' && mine !== undefined && live !== undefined) Object.assign(mine, pick(live, field));
    return { operation: 'resolve', page: id, field, keep };
  }

  /**
   * Copies slugs from the space to the model. If several pages have the same slug, a merge adds a suffix to one of
   * them, and the model cannot predict to which.
   */
  async #adoptSlugs(result: Branch, request: ModelRequest, branch: string | undefined): Promise<void> {
    const treePages = flatten(await this.space.pages(branch));
    const slugs = new Map(treePages.map(({ id, slug = '' }) => [this.keys.get(id) ?? '', slug]));
    for (const [key, page] of result) {
      const slug = slugs.get(key);
      if (slug === undefined || slug === page.slug) continue;
      expect(slug).toMatch(new RegExp(`^${page.slug}-\\d+$`));
      expect(request.head.get(key)).not.toEqual(request.base.get(key));
      expect(getChildren(result, page.parent).some((other) => other !== key && slugs.get(other) === page.slug)).toBe(
        true,
      );
    }
    for (const [key, page] of result) page.slug = slugs.get(key) ?? page.slug;
  }
}
