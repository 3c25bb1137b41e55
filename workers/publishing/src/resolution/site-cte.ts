import type { SiteCandidate } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Which site an address may be of, as one value of the statements: JSON. */
interface Wanted {
  /** The hostname of an organization, or its id, in lower case where it was a part of a host. */
  named: string | null;
  basename: string | null;
  own: number;
  hostname: string | null;
  proxies: [origin: string, depth: number][];
}

/** What is asked for, of the candidates that an address gives. */
export function wantedOf(candidates: SiteCandidate[]): Wanted {
  const wanted: Wanted = { named: null, basename: null, own: 0, hostname: null, proxies: [] };
  for (const candidate of candidates) {
    if (candidate.by === 'hostname') wanted.hostname = candidate.hostname;
    else if (candidate.by === 'proxy') wanted.proxies.push([candidate.proxy, candidate.depth]);
    else Object.assign(wanted, { named: candidate.organization, basename: candidate.basename, own: candidate.depth });
  }
  return wanted;
}

/** No other organization has the host since, with all paths on it: in the order of text, 'host/' ends before 'host0'. */
const isLeft = (host: SQL): SQL => sql`NOT EXISTS (
  SELECT 1 FROM sites t WHERE t.hostname = ${host} AND t.organization <> f.organization) AND NOT EXISTS (
  SELECT 1 FROM sites t WHERE t.proxy >= ${host} || '/' AND t.proxy < ${host} || '0' AND t.organization <> f.organization)`;

const ofKind = (kind: string): SQL => sql`site_former_addresses f ON f.kind = ${sql.raw(`'${kind}'`)}`;
const hostOfProxy = sql`substr(f.value, 1, instr(f.value, '/') - 1)`;

/** The site that an address was of, where it is of none: the last that had it. */
const formerSite = sql`
  SELECT site, depth FROM (
    SELECT f.site, asked->>'own' AS depth, f.until FROM missed
      CROSS JOIN organizations o ON o.hostname = asked->>'named'
      CROSS JOIN ${ofKind('basename')} AND f.value = asked->>'basename' AND f.organization = o.id
    UNION ALL SELECT f.site, asked->>'own', f.until FROM missed
      CROSS JOIN organizations o ON o.id = asked->>'named' COLLATE NOCASE
      CROSS JOIN ${ofKind('basename')} AND f.value = asked->>'basename' AND f.organization = o.id
    UNION ALL SELECT f.site, 0, f.until FROM missed
      CROSS JOIN ${ofKind('hostname')} AND f.value = asked->>'hostname' WHERE ${isLeft(sql`f.value`)}
    UNION ALL SELECT f.site, p.value->>1, f.until FROM missed CROSS JOIN json_each(asked, '$.proxies') p
      CROSS JOIN ${ofKind('proxy')} AND f.value = p.value->>0 WHERE ${isLeft(hostOfProxy)})
  ORDER BY depth DESC, until DESC LIMIT 1`;

/**
 * `site(id, depth, is_former)`: the one that an address is of, and how many segments of the path are its own; the longest
 * wins.
 */
export const siteCte = (
  wanted: SQL<string>,
): SQL => sql`wanted(asked) AS MATERIALIZED (SELECT ${wanted}), present(id, depth) AS MATERIALIZED (
  SELECT id, depth FROM (
    SELECT own.id AS id, asked->>'own' AS depth FROM wanted
      CROSS JOIN organizations o ON o.hostname = asked->>'named' CROSS JOIN sites own
      ON own.organization = o.id AND own.basename = asked->>'basename'
    UNION ALL SELECT own.id, asked->>'own' FROM wanted
      CROSS JOIN organizations o ON o.id = asked->>'named' COLLATE NOCASE CROSS JOIN sites own
      ON own.organization = o.id AND own.basename = asked->>'basename'
    UNION ALL SELECT host.id, 0 FROM wanted CROSS JOIN sites host ON host.hostname = asked->>'hostname'
    UNION ALL SELECT passed.id, p.value->>1 FROM wanted CROSS JOIN json_each(asked, '$.proxies') p
      CROSS JOIN sites passed ON passed.proxy = p.value->>0)
  ORDER BY depth DESC LIMIT 1), missed(asked) AS MATERIALIZED (
  SELECT asked FROM wanted WHERE NOT EXISTS (SELECT 1 FROM present)), former(id, depth) AS MATERIALIZED (${formerSite}),
  site(id, depth, is_former) AS MATERIALIZED (SELECT id, depth, 0 FROM present UNION ALL SELECT id, depth, 1 FROM former)`;
