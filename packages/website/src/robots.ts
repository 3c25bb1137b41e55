import robotsParser from 'robots-parser';

/** What a site's robots.txt says to one agent. */
interface Robots {
  allows: (url: string) => boolean;
  sitemaps: string[];
  crawlDelaySeconds?: number;
}

const maxLength = 500 * 1024;
const maxAddressLength = 4096;
const maxSitemaps = 100;
/** A rule with wildcards costs its length times the address's: so many letters of such rules are read as written. */
const maxWildcardLetters = 20_000;

/** Reads a robots.txt that was found at an address, its first 500 KiB; an address it does not speak of is allowed. */
export function readRobots(text: string, url: string, agent: string): Robots {
  const robots = robotsParser(url, boundWildcards(text.slice(0, maxLength)));
  const delay = robots.getCrawlDelay(agent);
  return {
    allows: (address) => address.length <= maxAddressLength && robots.isAllowed(address, agent) !== false,
    sitemaps: robots
      .getSitemaps()
      .slice(0, maxSitemaps)
      .flatMap((written) => resolve(written, url)),
    ...(delay !== undefined && Number.isFinite(delay) && delay >= 0 && { crawlDelaySeconds: delay }),
  };
}

function resolve(written: string | null, base: string): string[] {
  const address = written ? URL.parse(written, base) : null;
  return address && /^https?:$/.test(address.protocol) ? [address.href] : [];
}

/** Rules beyond the bound lose their end, from the first wildcard on, where that forbids more, else are left out. */
function boundWildcards(text: string): string {
  let letters = 0;
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => {
      const wildcard = line.indexOf('*');
      if (wildcard === -1 || !/^\s*(?:dis)?allow\s*:/i.test(line)) return line;
      letters += line.length;
      if (letters <= maxWildcardLetters) return line;
      return /^\s*allow/i.test(line) ? '' : line.slice(0, wildcard);
    })
    .join('\n');
}
