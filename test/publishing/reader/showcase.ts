import type { Site, SiteSection } from '@octavo/schema';
import { createCommandLine, withTree } from '../../cli/octavo.ts';
import { insertComputed } from '../../content/computed/reference-space.ts';
import { json } from '../../support/content.ts';
import { createFleet } from './reference/fleet.ts';
import { createShopSpecification } from './reference/shop.ts';
import { everyBlock, makeSmallSpace } from './showcase-texts.ts';

const words = 'Words that say what there is to say, in as many lines as it takes.';
const arabic = 'كلمات تقول ما يجب أن يقال في أي عدد من الأسطر.';

/** A specification with a tag small enough that its page lists all operations. */
function createShipsSpecification(): object {
  const { paths, ...more } = createFleet({ webhooks: {}, components: {} });
  return { ...more, paths: Object.fromEntries(Object.entries(paths).slice(0, 14)) };
}

/** Publishes a site with three sections: one with a variant, and one with right-to-left text. */
export async function publishShowcase(): Promise<{
  url: string;
  send: (path: string, body: object) => Promise<unknown>;
}> {
  const { octavo, organization, token } = await createCommandLine();
  const getSpace = async (title: string, files: Record<string, string>): Promise<string> => {
    const { stdout } = await withTree(files, (folder) =>
      octavo('import', folder, '--space', 'new', '--title', title, '--json'),
    );
    return (JSON.parse(stdout) as { space: string }).space;
  };
  for (const [slug, document] of Object.entries({ shop: createShopSpecification(), ships: createShipsSpecification() }))
    await withTree({ 'spec.json': JSON.stringify(document) }, (folder) =>
      octavo('openapi', 'publish', `${folder}/spec.json`, '--slug', slug, '--organization', organization),
    );
  const base = `/v1/orgs/${organization}/sites`;
  const [guide, next, reference, rtl] = [
    await getSpace('Guide', everyBlock),
    await getSpace('Next', makeSmallSpace('Next steps', words)),
    await getSpace('Reference', makeSmallSpace('Reference', words)),
    await getSpace('Arabic', makeSmallSpace('دليل المستخدم', arabic)),
  ];
  await json(`/v1/spaces/${reference}/content`, {
    token,
    body: { changes: [insertComputed('shop'), insertComputed('ships', { title: 'Ships' })] },
  });
  const site = await json<Site>(base, { token, body: { title: 'Showcase' } });
  const send = <Body>(path: string, body: object, method = 'POST') =>
    json<Body>(`${base}/${site.id}${path}`, { token, body, method });
  const section = await send<SiteSection>('/sections', { spaceId: guide, title: 'Guide', icon: 'compass' });
  await send<SiteSection>('/sections', { spaceId: reference, title: 'Reference', icon: 'book' });
  await send<SiteSection>('/sections', { spaceId: rtl, title: 'العربية', icon: 'globe' });
  await send('/site-spaces', { spaceId: next, sectionId: section.id });
  const { urls } = await send<Site>('/publish', {});
  return { url: urls.published ?? '', send: (path, body) => send(path, body, 'PUT') };
}
