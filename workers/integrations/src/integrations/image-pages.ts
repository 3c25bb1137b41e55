import type { PageContext, ServedPage, Urls } from '@octavo/runtime';
import { serveObject } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';

const folder = 'integrations/';
/** An image stays at its address for as long; the sweep waits longer. */
const keptSeconds = 24 * 3600;

/** Where anybody may have an image: its name is random, and no other version's. */
export const imageAddress = (key: string, urls: Urls): string =>
  urls.page(`/integration-images/${key.slice(folder.length)}`);

/** Gives an icon or a preview image; a script is none. */
async function serveImage(request: Request, context: PageContext<IntegrationsEnvironment>): Promise<Response> {
  const name = context.params.name ?? '';
  const kind = /^\w{20}-(png|jpeg|gif|webp)$/.exec(name)?.[1];
  const served =
    kind === undefined
      ? undefined
      : await serveObject(request, context.env.RENDERED, {
          key: `${folder}${name}`,
          etag: `"${name}"`,
          name: `${name.slice(0, name.indexOf('-'))}.${kind}`,
          contentType: `image/${kind}`,
          expires: Math.ceil(Date.now() / 1000) + keptSeconds,
          isOpen: true,
        });
  if (served === undefined) throw notFound('image');
  return served;
}

export const imagePages: ServedPage<IntegrationsEnvironment>[] = [
  { method: 'GET', path: '/integration-images/:name', handler: serveImage },
];
