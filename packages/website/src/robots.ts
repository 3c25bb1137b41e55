import robotsParser from 'robots-parser';

/** The rules of a site's robots.txt for one user agent. */
interface Robots {
  allows: (url: string) => boolean;
  sitemaps: string[];
  crawlDelaySeconds?: number;
}

const maxLength = 500 * 1024;
const maxAddressLength = 4096;
const maxSitemaps = 100;
/**
 * Maximum total length of the rules with wildcards that are applied. Matching such a rule takes time proportional to
 * its length times the address's length.
 */
const maxWildcardLetters = 20_000;

/** Parses the first 500 KiB of a robots.txt. Addresses without a rule are allowed. */
export function readRobots(text: string, url: string, agent: string): Robots {
  const robots = robotsParser(url, limitWildcards(text.slice(0, maxLength)));
  const delay = robots.getCrawlDelay(agent);
  return {
    allows: (address) => address.length <= maxAddressLength && robots.isAllowed(address, agent) !== false,
    sitemaps: robots
      .getSitemaps()
      .slice(0, maxSitemaps)
      .flatMap((address) => resolve(address, url)),
    ...(delay !== undefined && Number.isFinite(delay) && delay >= 0 && { crawlDelaySeconds: delay }),
  };
}

function resolve(reference: string | null, base: string): string[] {
  const address = reference ? URL.parse(reference, base) : null;
  return address && /^https?:$/.test(address.protocol) ? [address.href] : [];
}

/**
 * Limits the total length of rules with wildcards. Beyond the limit, a rule that forbids is truncated at its first
 * wildcard, so that it forbids more, and a rule that allows is dropped.
 */
function limitWildcards(text: string): string {
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
