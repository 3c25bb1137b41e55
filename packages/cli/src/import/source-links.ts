import { idOfLinks, type Repository } from '@octavo/outline';
import { GitSource, maxSourceLinks, maxSourceLinksLength } from '@octavo/schema';
import type { ImportProblem } from './problem.ts';

type Links = Readonly<Record<string, string>>;

/** What the addresses of the texts mean, as far as a space keeps it, by the paths of the texts. */
export class SourceLinks {
  readonly problems: ImportProblem[] = [];
  readonly #links = new Map<string, Links>();

  constructor(meanings: Repository['meanings']) {
    for (const [path, links] of meanings) {
      const kept = keep(links);
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

function keep(links: Links): Links {
  const kept: [string, string][] = [];
  let length = 0;
  for (const [address, path] of Object.entries(links)) {
    const isFit = GitSource.shape.links.safeParse({ [address]: path }).success;
    if (!isFit || kept.length === maxSourceLinks || length + address.length + path.length > maxSourceLinksLength)
      continue;
    length += address.length + path.length;
    kept.push([address, path]);
  }
  return Object.fromEntries(kept);
}
