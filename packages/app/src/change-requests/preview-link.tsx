import type { List, Site, SiteSpace } from '@octavo/schema';
import type { VNode } from 'preact';
import { ApiRequestError, get, listAll } from '../api.ts';
import { UiIcon } from '../ui/icon.tsx';
import { openTab } from '../ui/open-tab.ts';
import { useLoaded } from '../use-api.ts';
import type { OpenedChangeRequest } from './use-change-request.ts';

/** Returns the address at which a site shows the change request for an hour. Undefined if no site shows its space. */
async function readPreviewAddress(organization: string, space: string, id: string): Promise<string | undefined> {
  const sites = `/orgs/${organization}/sites`;
  try {
    const { items } = await get<List<Site>>(sites, { space, limit: 1 });
    const site = items[0]?.id;
    if (site === undefined) return undefined;
    const siteSpaces = await listAll<SiteSpace>(`${sites}/${site}/site-spaces`);
    const siteSpace = siteSpaces.find((each) => each.space.id === space)?.id;
    if (siteSpace === undefined) return undefined;
    const preview = await get<{ url: string }>(`${sites}/${site}/publishing/preview`, { siteSpace });
    const url = new URL(preview.url);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/~/changes/${id}/`;
    return url.href;
  } catch (error) {
    // The user may see the space, but not its sites.
    if (error instanceof ApiRequestError && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

/** The time after which the address of a preview is requested again. Its token is valid for an hour. */
const maxAgeMilliseconds = 45 * 60_000;

/** A link to the preview of the change request on a site. An outdated address is replaced when the link is opened. */
export function PreviewLink({ opened }: { opened: OpenedChangeRequest }): VNode | null {
  const { changeRequest, organization, space } = opened;
  const readPreview = async () => ({
    address: await readPreviewAddress(organization?.id ?? '', space.id, changeRequest.id),
    readAt: Date.now(),
  });
  const { value: preview, reload } = useLoaded(organization && `preview ${changeRequest.id}`, readPreview);
  if (preview?.address === undefined) return null;
  const open = async (event: MouseEvent): Promise<void> => {
    if (Date.now() - preview.readAt < maxAgeMilliseconds) return;
    event.preventDefault();
    await openTab(async () => {
      const { address } = await readPreview();
      if (address === undefined) throw new ApiRequestError(404, 'The preview does not exist any more.');
      return address;
    });
    await reload();
  };
  return (
    <a class="button" href={preview.address} target="_blank" rel="noreferrer" onClick={open}>
      <UiIcon name="external" />
      Open preview
    </a>
  );
}
