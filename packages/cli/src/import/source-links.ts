import { idOfLinks, keptLinks, type Repository } from '@octavo/outline';
import type { GitSource } from '@octavo/schema';
import type { ImportProblem } from './problem.ts';

type Links = Readonly<Record<string, string>>;

/** What the addresses of the texts mean, as far as a space keeps it, by the paths of the texts. */
export class SourceLinks {
  readonly problems: ImportProblem[] = [];
  readonly #links = new Map<string, Links>();

  constructor(meanings: Repository['meanings']) {
    for (const [path, links] of meanings) {
      const kept = keptLinks(links);
      const lost = Object.keys(links).length - Object.keys(kept).length;
      if (lost > 0)
        this.problems.push({
          path,
          kind: 'warning',
          message: `${lost} of its addresses are too many or too long: what they mean is not kept.`,
        });
      this.#links.set(path, kept);
    }
  }

  of(path: string | undefined): Links {
    return this.#links.get(path ?? '') ?? {};
  }

  /** Whether a space tells the same of a text. */
  isKept(path: string | undefined, git: { linksId?: string | undefined } | undefined): boolean {
    const links = this.of(path);
    return Object.keys(links).length === 0 ? git?.linksId === undefined : git?.linksId === idOfLinks(links);
  }

  /** Where a text comes from, as changes say it. */
  gitOf(path: string): GitSource {
    const links = this.of(path);
    return Object.keys(links).length === 0 ? { path } : { path, links };
  }
}
