import { isShownTo } from '@octavo/expression';
import type { Visitor } from '@octavo/schema';
import type { StructureRecord } from './structure-record.ts';

/**
 * What of a structure is shown: to a visitor, what the conditions let through, and no section or group without anything
 * in it; to a member, the site spaces whose spaces are seen, and no section of which none is.
 */
export function shownStructure(all: StructureRecord, visitor: Visitor | undefined): StructureRecord {
  return visitor === undefined ? seenByMember(all) : seenByVisitor(all, visitor);
}

function seenByMember(all: StructureRecord): StructureRecord {
  const siteSpaces = all.siteSpaces.filter(({ role }) => role !== null);
  const seen = sectionsOf(siteSpaces);
  const filled = sectionsOf(all.siteSpaces);
  const sections = all.sections.filter(({ id }) => seen.has(id) || !filled.has(id));
  return { ...all, sections, siteSpaces };
}

function seenByVisitor(all: StructureRecord, { claims, user }: Visitor): StructureRecord {
  const holds = ({ condition }: { condition: string | null }) => isShownTo(condition, claims);
  const open = new Set(all.sections.filter(holds).map(({ id }) => id));
  const siteSpaces = all.siteSpaces.filter(
    (each) =>
      holds(each) && (user === undefined || each.role !== null) && (each.section === null || open.has(each.section.id)),
  );
  const filled = sectionsOf(siteSpaces);
  const sections = all.sections.filter(({ id }) => filled.has(id));
  const links = all.links.filter(holds);
  const used = new Set([...sections, ...links].map(({ group }) => group));
  return { siteSpaces, sections, links, groups: all.groups.filter(({ id }) => used.has(id)) };
}

const sectionsOf = (siteSpaces: StructureRecord['siteSpaces']): Set<string> =>
  new Set(siteSpaces.flatMap(({ section }) => (section === null ? [] : [section.id])));
