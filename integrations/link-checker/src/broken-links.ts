import { at, type IntegrationApi } from '@octavo/integration';
import type { LinkItem, SemanticChanges } from '@octavo/schema';
import { tryAddress } from './try-address.ts';

/** So much is looked at of one revision, so that a run ends within its time. */
const maxPages = 20;
const maxLinksOfPage = 100;
const maxAddresses = 40;
const atOnce = 6;

interface BrokenLink {
  /** The title of the page that it stands in. */
  page: string;
  target: string;
  reason: string;
}

export interface CheckedLinks {
  broken: BrokenLink[];
  /** How many links to other web sites were left out. */
  untried: number;
}

interface PlacedLink {
  page: string;
  link: LinkItem;
}

/** What leads nowhere of the links in the pages that a change request adds or edits. */
export async function brokenLinks(api: IntegrationApi, path: string, tryOthers: boolean): Promise<CheckedLinks> {
  const links = await linksIn(api, path);
  const internal = links.filter(({ link }) => link.status === 'broken');
  const others = new Map(tryOthers ? links.flatMap((each) => outside(each)) : []);
  const tried = [...others].slice(0, maxAddresses);
  const outcomes = await inTurns(tried, async ([address, page]) => ({
    page,
    target: address,
    reason: await tryAddress(address),
  }));
  return {
    broken: [
      ...internal.map(({ page, link }) => ({ page, target: link.target, reason: 'this is not there' })),
      ...outcomes.flatMap(({ reason, ...place }) => (reason === undefined ? [] : [{ ...place, reason }])),
    ],
    untried: others.size - tried.length,
  };
}

async function linksIn(api: IntegrationApi, path: string): Promise<PlacedLink[]> {
  const { changes } = await api.get<SemanticChanges>(`${path}/changes`, { limit: '100' });
  const pages = changes.flatMap((change) =>
    change.type === 'page_created' || change.type === 'page_edited' ? [change.page] : [],
  );
  const found = await inTurns(pages.slice(0, maxPages), async ({ id, title }) => {
    const query = { limit: String(maxLinksOfPage) };
    const { items } = await api.get<{ items: LinkItem[] }>(`${path}${at`/content/page/${id}/links`}`, query);
    return items.map((link) => ({ page: title, link }));
  });
  return found.flat();
}

/** The address of another web site, without the place in its page, and the page that links there. */
function outside({ page, link }: PlacedLink): [string, string][] {
  if (link.targetReference?.kind !== 'url' || !URL.canParse(link.targetReference.url)) return [];
  const address = new URL(link.targetReference.url);
  address.hash = '';
  return /^https?:$/.test(address.protocol) ? [[address.href, page]] : [];
}

async function inTurns<Input, Output>(inputs: Input[], work: (input: Input) => Promise<Output>): Promise<Output[]> {
  const outputs: Output[] = [];
  for (let first = 0; first < inputs.length; first += atOnce)
    outputs.push(...(await Promise.all(inputs.slice(first, first + atOnce).map(work))));
  return outputs;
}
