import type { ComponentChildren } from 'preact';
import type { PageDrawing } from './drawing.ts';
import { Anchor } from './frame/anchor.tsx';
import type { ShownAddress } from './references.ts';

/** A part of a page in which words were found. */
export interface FoundSection {
  title: string;
  text: string;
  to: ShownAddress;
}

/** A page in which words were found. */
export interface PageHit {
  title: string;
  /** The space that it is of. */
  space: string;
  to: ShownAddress;
  sections: FoundSection[];
}

const maxWords = 10;

/** A text in which the words that were asked for stand out. */
export function Marked({ text, query }: { text: string; query: string }): ComponentChildren {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  if (words.length === 0) return text;
  const pattern = words
    .slice(0, maxWords)
    .map((word) => word.slice(0, 64))
    .join('|');
  return text
    .split(new RegExp(`(${pattern})`, 'giu'))
    .map((part, index) => (index % 2 === 1 ? <mark>{part}</mark> : part));
}

/** What a search has found, page by page. */
export const Found = ({
  at,
  query,
  pages,
}: {
  at: PageDrawing;
  query: string;
  pages: PageHit[];
}): ComponentChildren => (
  <ol class="found">
    {pages.map(({ title, space, to, sections }) => (
      <li>
        <h2>
          <Anchor at={at} to={to}>
            <Marked text={title} query={query} />
          </Anchor>
        </h2>
        <p class="where">{space}</p>
        {sections.map((section) => (
          <p>
            <Anchor at={at} to={section.to}>
              {section.title === '' ? title : section.title}
            </Anchor>{' '}
            <Marked text={section.text} query={query} />
          </p>
        ))}
      </li>
    ))}
  </ol>
);
