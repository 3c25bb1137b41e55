import { sql } from 'drizzle-orm';

interface Level {
  path: string;
  isDefault: boolean;
}

/** Where a site shows a space. */
export interface SpacePlace {
  siteSpace: Level;
  /** Null where the site has no sections. */
  section: (Level & { id: string }) | null;
  /** Each must hold; null is none. */
  conditions: (string | null)[];
}

type Row = [
  path: string,
  isDefault: 0 | 1,
  condition: string | null,
  section: string | null,
  sectionPath: string,
  isDefaultSection: 0 | 1,
  sectionCondition: string | null,
];

/** An expression: the places of `spaces s` in `sites st`, in the order of its structure. */
export const placesInSite = sql`(
  SELECT json_group_array(json_array(ss.path, ss.is_default, ss.condition, sec.id, sec.path, sec.is_default, sec.condition)
    ORDER BY sec.position, ss.position, ss.id)
  FROM site_spaces ss INDEXED BY site_spaces_by_space LEFT JOIN site_sections sec ON sec.id = ss.section
  WHERE ss.space = s.id AND ss.site = st.id)`;

/** Reads what `placesInSite` gave. */
export const readPlacesInSite = (json: string): SpacePlace[] =>
  (JSON.parse(json) as Row[]).map(
    ([path, isDefault, condition, section, sectionPath, isDefaultSection, sectionCondition]) => ({
      siteSpace: { path, isDefault: isDefault === 1 },
      section: section === null ? null : { id: section, path: sectionPath, isDefault: isDefaultSection === 1 },
      conditions: [condition, sectionCondition],
    }),
  );
