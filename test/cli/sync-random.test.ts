import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edit, json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { drawn } from '../support/random.ts';
import { octavo, readMarkdown, temporaryFolder } from './octavo.ts';
import { SyncedRepository } from './synced-repository.ts';

/** Two hundred, by `OCTAVO_SYNC_ROUNDS=200`, take minutes. */
const rounds = Number(process.env.OCTAVO_SYNC_ROUNDS ?? 6);
const most = 6;
/** A round takes less than a second, and several where other tests keep the machine busy. */
const milliseconds = 60_000 + rounds * 5_000;

interface Listed {
  id: string;
  title: string;
  type: string;
  git?: { path: string };
}

/** Numbers that a world draws from, the same for the same seed. */
function dice(count: number) {
  const numbers = drawn(fc.nat({ max: 1_000_000 }), count);
  let at = 0;
  const below = (end: number): number => {
    at += 1;
    return (numbers[at % numbers.length] ?? 0) % end;
  };
  return { below, one: <Value>(of: Value[]): Value | undefined => of[below(of.length)] };
}

class World {
  readonly #dice = dice(rounds * 40);
  readonly #repository: SyncedRepository;
  readonly #space: { id: string; token: string };
  #words = 0;
  /** What somebody wrote and nobody has taken away. */
  readonly #alive = new Set<string>();
  /** What conflicts hold. */
  readonly held = new Set<string>();

  constructor(repository: SyncedRepository, space: { id: string; token: string }) {
    this.#repository = repository;
    this.#space = space;
  }

  get alive(): string[] {
    return [...this.#alive].filter((word) => !this.held.has(word));
  }

  #word(): string {
    this.#words += 1;
    const word = `w${this.#words}x`;
    this.#alive.add(word);
    return word;
  }

  #forget(text: string): void {
    for (const word of text.match(/w\d+x/g) ?? []) this.#alive.delete(word);
  }

  /** A text with a line that is written anew, or added; what was in that line is gone. */
  #edited(text: string): string {
    const lines = text.replace(/\n$/, '').split('\n');
    const at = 2 + 2 * this.#dice.below(Math.max(1, Math.floor((lines.length - 1) / 2)));
    if (this.#dice.below(3) === 0 || lines[at] === undefined) return `${[...lines, '', this.#word()].join('\n')}\n`;
    this.#forget(lines[at] ?? '');
    lines[at] = this.#word();
    return `${lines.join('\n')}\n`;
  }

  #newPage = (): { name: string; text: string } => {
    const word = this.#word();
    return { name: `p${word}`, text: `# P${word}\n\n${this.#word()}\n\n${this.#word()}\n` };
  };

  async commit(): Promise<void> {
    const files = await this.#repository.files();
    const names = Object.keys(files).filter((name) => name.endsWith('.md') && name !== 'SUMMARY.md');
    const change: Record<string, string | null> = {};
    let summary = files['SUMMARY.md'] ?? '';
    for (let times = 1 + this.#dice.below(2); times > 0; times -= 1) {
      const name = this.#dice.one(names.filter((each) => change[each] === undefined)) ?? '';
      const what = this.#dice.below(8);
      if (what < 4 && name) change[name] = this.#edited(files[name] ?? '');
      else if (what === 4 && names.length > 3) {
        change[name] = null;
        this.#forget(files[name] ?? '');
        summary = summary.replace(new RegExp(`^.*\\(${name.replace(/[.]/g, '\\.')}\\).*\\n`, 'm'), '');
      } else if (what === 5 && name) {
        const to = `r${this.#words}-${name}`.slice(-40);
        change[name] = null;
        change[to] = files[name] ?? '';
        summary = summary.replace(`(${name})`, `(${to})`);
      } else if (what === 6) {
        const lines = summary.split('\n');
        summary = [...lines.slice(0, 2), ...lines.slice(2).filter(Boolean).reverse(), ''].join('\n');
      } else if (names.length < most) {
        const page = this.#newPage();
        change[`${page.name}.md`] = page.text;
        summary += `* [P${page.name.slice(1)}](${page.name}.md)\n`;
      }
    }
    await this.#repository.commit({ ...change, 'SUMMARY.md': summary }, `Commit ${this.#words}`);
  }

  async edit(): Promise<void> {
    const { id, token } = this.#space;
    const { pages } = await json<{ pages: Listed[] }>(`/v1/spaces/${id}/content/pages`, { token });
    const documents = pages.filter(({ type }) => type === 'document');
    const page = this.#dice.one(documents);
    const what = this.#dice.below(7);
    if (!page || what === 6) {
      const made = this.#newPage();
      if (documents.length < most)
        await edit(this.#space, [{ operation: 'insert_page', document: { markdown: made.text } }]);
      else this.#forget(`${made.name} ${made.text}`);
      return;
    }
    const { markdown } = await json<{ markdown: string }>(`/v1/spaces/${id}/content/page/${page.id}`, { token });
    if (what < 4)
      await edit(this.#space, [
        { operation: 'update_page', page: page.id, document: { markdown: this.#edited(markdown) } },
      ]);
    else if (what === 4)
      await edit(this.#space, [{ operation: 'update_page', page: page.id, at: this.#dice.below(documents.length) }]);
    else if (documents.length > 3) {
      this.#forget(markdown);
      await edit(this.#space, [{ operation: 'delete_page', page: page.id }]);
    }
  }

  below = (end: number): number => this.#dice.below(end);
}

interface Report {
  changeRequests: { id: string; status: string; conflicts: { id: string; kind: string }[] }[];
  waits?: string;
}

test(
  'random commits and edits on both sides end the same, and nothing is lost that no conflict holds',
  async () => {
    const space = await platform().makeSpace();
    const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
    const names = ['a', 'b', 'c', 'd'];
    const first = Object.fromEntries(names.map((name) => [`${name}.md`, `# ${name}\n\none\n\ntwo\n\nthree\n`]));
    const summary = `# Table of contents\n\n${names.map((name) => `* [${name}](${name}.md)\n`).join('')}`;
    const repository = await SyncedRepository.make({ ...first, 'SUMMARY.md': summary });
    const world = new World(repository, space);
    const at = (path: string) => `/v1/spaces/${space.id}${path}`;

    const sync = async (): Promise<void> => {
      const { stdout, stderr, code } = await octavo(env, 'sync', repository.bare, '--space', space.id, '--json');
      expect(stdout, stderr).not.toBe('');
      const { changeRequests, waits } = JSON.parse(stdout) as Report;
      for (const { id, conflicts, status } of changeRequests.filter((each) => each.conflicts.length > 0)) {
        expect(code).toBe(1);
        for (const { id: page, kind } of conflicts) {
          expect(kind).toBe('page');
          const held = await platform().request(at(`/change-requests/${id}/content/page/${page}`), {
            token: space.token,
          });
          const told = held.ok ? ((await held.json()) as { markdown?: string }).markdown : '';
          for (const word of told?.match(/w\d+x/g) ?? []) world.held.add(word);
        }
        if (waits === undefined && status === 'conflicts') continue;
        await json(at(`/change-requests/${id}`), { token: space.token, method: 'PATCH', body: { status: 'archived' } });
      }
      if (waits !== undefined) await sync();
    };

    await sync();
    for (let round = 0; round < rounds; round += 1) {
      const what = world.below(4);
      if (what !== 1) await world.commit();
      if (what !== 2) for (let times = 1 + world.below(2); times > 0; times -= 1) await world.edit();
      await sync();
      const files = await repository.files();
      const text = Object.values(files).join('\n');
      expect(world.alive.filter((word) => !text.includes(word))).toEqual([]);
      if (round % 10 !== 0 && round < rounds - 1) continue;
      const out = await temporaryFolder();
      await octavo(env, 'export', space.id, out);
      expect({ ...(await readMarkdown(out)), 'SUMMARY.md': '' }).toEqual({ ...files, 'SUMMARY.md': '' });
      const again = await octavo(env, 'sync', repository.bare, '--space', space.id);
      expect(again.stdout).toBe('Nothing has changed.\n');
    }
  },
  milliseconds,
);
