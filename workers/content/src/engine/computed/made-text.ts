import type { OpenAPIEntryRecord } from '@octavo/db';
import type { Block, DocumentTree, Section } from '@octavo/markdown';
import { block, blocksOfOthers, escapeTags, parseTree, plainBlocks, sectionsOf, treeOf } from '@octavo/markdown';
import type { MadeParts } from './made-parts.ts';

/** The document of a page: blocks that name their parts of the specification, each by its anchor. */
export function madeTree({ slug, text, introduction, shown }: MadeParts): DocumentTree {
  if (text !== undefined) return treeOf(plainBlocks(parseTree(text).nodes));
  return treeOf([...blocksOfOthers(introduction), ...shown.map((entry) => blockOf(slug, entry))]);
}

/** The same as it is written as markdown, where each part has a heading and says what it is. */
export function madeText({ slug, text, introduction, shown }: MadeParts): DocumentTree {
  if (text !== undefined) return madeTree({ slug, text, introduction, shown });
  const isSaid = isIntroduced({ slug, introduction, shown });
  return treeOf([
    ...blocksOfOthers(introduction),
    ...shown.flatMap((entry) => [
      headingOf(entry.title),
      ...(isSaid ? [] : blocksOfOthers(entry.description)),
      blockOf(slug, entry),
    ]),
  ]);
}

/** Whether the one part of a page is described at the top of it. */
const isIntroduced = ({ introduction, shown: [first, ...others] }: MadeParts): boolean =>
  others.length === 0 && introduction !== '' && first?.description === introduction;

/** The same as sections for the search: the text of the page, and each part at its anchor. */
export function madeSections(parts: MadeParts, description = ''): Section[] {
  if (parts.text !== undefined) return sectionsOf(parts.text || description);
  const isSaid = isIntroduced(parts);
  return [
    { anchor: '', level: 0, title: '', text: plainTextOf(parts.introduction || description) },
    ...parts.shown.map(({ slug, title, name, method, path, description: said }): Section => {
      const call = [method?.toUpperCase(), path, name === title ? null : name];
      const text = [...call, isSaid ? '' : plainTextOf(said)].filter(Boolean).join(' ');
      return { anchor: slug, level: 2, title, text };
    }),
  ];
}

const plainTextOf = (text: string): string =>
  sectionsOf(escapeTags(text))
    .flatMap(({ title, text }) => [title, text])
    .filter(Boolean)
    .join(' ');

const headingOf = (title: string): Block =>
  block('heading-2', {}, [{ object: 'text', leaves: [{ object: 'leaf', text: title, marks: [] }] }]);

function blockOf(spec: string, { kind, slug, name, method, path }: OpenAPIEntryRecord): Block {
  const ref = { kind: 'openapi', spec };
  const made =
    kind === 'model'
      ? block('openapi-schemas', { ref, schemas: [name ?? ''], grouped: false })
      : kind === 'webhook'
        ? block('openapi-webhook', { ref, name: name ?? '', method: method ?? '' })
        : block('openapi-operation', { ref, path: path ?? '', method: method ?? '' });
  return { ...made, isVoid: true, meta: { id: slug } };
}
