import { parseAtomFeed } from 'feedsmith';

/** Returns the violations of RFC 4287 in a feed. Covers only the elements that our feeds use. */
export function getFaults(xml: string): string[] {
  const { id, title, updated, authors, links, entries = [] } = parseAtomFeed(xml);
  const parts = [
    { name: 'the feed', id, title, updated, links },
    ...entries.map((entry) => ({ name: 'an entry', ...entry })),
  ];
  const faults = parts.flatMap((part) => [
    ...(URL.canParse(part.id ?? '') ? [] : [`${part.name} has no id`]),
    ...(part.title === undefined ? [`${part.name} has no title`] : []),
    ...(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(part.updated ?? '') ? [] : [`${part.name} has no time`]),
    ...(part.links?.every(({ href }) => URL.canParse(href ?? '')) ? [] : [`${part.name} links to no address`]),
  ]);
  const ids = entries.map((entry) => entry.id);
  if (new Set(ids).size < ids.length) faults.push('two entries have one id');
  if (authors?.[0]?.name === undefined) faults.push('nobody wrote the feed');
  if (!links?.some(({ rel, href }) => rel === 'self' && href !== undefined)) faults.push('the feed has no address');
  return faults;
}
