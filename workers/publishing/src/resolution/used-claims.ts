import type { Database } from '@octavo/db';
import { fromQuery, prepareStatement, readRows, selection } from '@octavo/db';
import { findUsedClaims, type UsedClaims } from '@octavo/expression';
import type { SiteId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OpenSite } from './find-site.ts';

/** Maximum number of conditions and texts that are read. If there are more, the site may ask for any claim. */
const maxTexts = 100;
/** If a text has more bytes than this, it is not read, and the site may ask for any claim. */
const maxTextBytes = 64 * 1024;

const textRow = selection({ text: fromQuery((text: string | null) => text) });

/** Selects the conditions of a table of the site. */
const selectConditions = (table: string, site: SQL<SiteId>): SQL =>
  sql`SELECT condition AS text FROM ${sql.raw(table)} WHERE site = ${site} AND condition IS NOT NULL`;

/**
 * Selects the conditions of a site and of the pages in its spaces, and the texts of these pages that may use claims. A
 * text that is too large is null.
 */
const textsWithClaims = prepareStatement((site: SQL<SiteId>) =>
  textRow.query(sql`
    WITH lineage(branch, seq) AS MATERIALIZED (
      SELECT DISTINCT part.value->>0, part.value->>1 FROM site_spaces ss
        CROSS JOIN revisions head ON head.branch = ss.space
          AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ss.space)
        CROSS JOIN json_each(head.lineage) part WHERE ss.site = ${site})
    SELECT text FROM (
      ${selectConditions('site_sections', site)} UNION ${selectConditions('site_spaces', site)}
      UNION ${selectConditions('site_external_links', site)}
      UNION SELECT v.data->>'$.fields.condition' FROM lineage l CROSS JOIN versions v INDEXED BY versions_conditions
        ON v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq
        WHERE v.kind = 'page' AND v.data->>'$.fields.condition' IS NOT NULL
      UNION SELECT CASE WHEN d.bytes <= ${sql.raw(String(maxTextBytes))} THEN d.markdown END
        FROM lineage l CROSS JOIN json_each('["page","reusable-content"]') kind
        CROSS JOIN versions v INDEXED BY versions_live
        ON v.branch = l.branch AND v.kind = kind.value AND v.until > l.seq AND v.since <= l.seq
        CROSS JOIN documents d INDEXED BY documents_asking ON d.hash = v.document
        WHERE instr(d.markdown, 'visitor') > 0
      LIMIT ${sql.raw(String(maxTexts + 1))}) x`),
);

interface CachedClaims {
  /** The version of the content that the site shows. */
  shown: string;
  claims: UsedClaims;
}

const maxSites = 1000;
const claimsBySite = new Map<SiteId, CachedClaims>();

/**
 * Returns the unsigned claims on which something of the site may depend. One round trip for each version of the site,
 * after which they are cached.
 */
export async function readUsedClaims(db: Database, { site }: Pick<OpenSite, 'site'>): Promise<UsedClaims> {
  const shown = `${site.shown}-${site.organizationShown}`;
  const cached = claimsBySite.get(site.id);
  if (cached?.shown === shown) return cached.claims;
  const rows = await readRows(db, textsWithClaims(site.id));
  const texts = rows.flatMap(({ text }) => text ?? []);
  const isComplete = texts.length === rows.length && rows.length <= maxTexts;
  const claims = isComplete ? findUsedClaims(texts) : 'all';
  const [oldest] = claimsBySite.keys();
  if (oldest !== undefined && claimsBySite.size >= maxSites) claimsBySite.delete(oldest);
  claimsBySite.set(site.id, { shown, claims });
  return claims;
}
