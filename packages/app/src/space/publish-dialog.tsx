import type { Site, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { VisibilityField } from '../sites/visibility-field.tsx';
import { copyText } from '../ui/copy-text.ts';
import { ActionForm, Modal } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { reloadPath, useList } from '../use-api.ts';

interface PublishDialogProps {
  space: Space;
  onClose: () => void;
}

/** Publishes a space as a site, or links to the sites that show it. */
export function PublishDialog({ space, onClose }: PublishDialogProps): VNode {
  const sitesPath = `/orgs/${space.organization}/sites`;
  const sites = useList<Site>(sitesPath, { space: space.id });
  const reload = async (): Promise<void> => {
    // The space contains the address at which it is published.
    await Promise.all([sites.reload(), reloadPath(`/spaces/${space.id}`)]);
  };
  const published = sites.value?.filter((site) => site.published) ?? [];
  return (
    <Modal title={published.length > 0 ? 'Published' : 'Publish this space'} onClose={onClose}>
      <LoadedContent loaded={sites} lines={2}>
        {() =>
          published.length > 0 ? (
            <PublishedSites
              sites={published}
              organization={space.organization}
              path={sitesPath}
              reload={reload}
              onClose={onClose}
            />
          ) : (
            <PublishForm space={space} former={sites.value?.[0]} path={sitesPath} reload={reload} onClose={onClose} />
          )
        }
      </LoadedContent>
    </Modal>
  );
}

interface PublishedSitesProps {
  sites: Site[];
  organization: string;
  path: string;
  reload: () => Promise<void>;
  onClose: () => void;
}

function PublishedSites({ sites, organization, path, reload, onClose }: PublishedSitesProps): VNode {
  const [chosen, setChosen] = useState<Site>();
  const unpublish = async (): Promise<void> => {
    await api('POST', `${path}/${chosen?.id}/unpublish`);
    await reload();
    setChosen(undefined);
  };
  if (chosen !== undefined)
    return (
      <ActionForm submit="Unpublish" isDanger onSubmit={unpublish} onCancel={() => setChosen(undefined)}>
        <p>
          The site {chosen.title} and all its spaces can no longer be read at {chosen.urls.published}.
        </p>
      </ActionForm>
    );
  return (
    <ul class="rows">
      {sites.map((site) => (
        <li key={site.id} class="site-row">
          <div class="row">
            <span class="grow">
              <span class="strong">{site.title}</span>
              <SiteAddress site={site} />
            </span>
          </div>
          <a
            class="button"
            href={`/app/orgs/${organization}/sites/${site.id}`}
            aria-label={`Settings of ${site.title}`}
            onClick={onClose}
          >
            Settings
          </a>
          <button type="button" class="button" aria-label={`Unpublish ${site.title}`} onClick={() => setChosen(site)}>
            Unpublish
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The link to a published site, with a button that copies its address. */
function SiteAddress({ site: { title, urls } }: { site: Site }): VNode | null {
  const address = urls.published;
  const link = useRef<HTMLAnchorElement>(null);
  if (address === undefined) return null;
  const copy = (): void => {
    copyText(address, link.current, 'Address copied').catch(notifyError);
  };
  return (
    <span class="site-address">
      <a ref={link} href={address} target="_blank" rel="noopener">
        {address}
      </a>
      <button type="button" class="icon-button" aria-label={`Copy the address of ${title}`} title="Copy" onClick={copy}>
        <UiIcon name="copy" />
      </button>
    </span>
  );
}

interface PublishFormProps {
  space: Space;
  /** An unpublished site that shows the space. If there is one, it is published again and no new site is created. */
  former: Site | undefined;
  path: string;
  reload: () => Promise<void>;
  onClose: () => void;
}

function PublishForm({ space, former, path, reload, onClose }: PublishFormProps): VNode {
  const [visibility, setVisibility] = useState(former?.visibility ?? 'public');
  // If the site is created but not published, the next attempt publishes the same site.
  const created = useRef<Site>(undefined);
  const publish = async (): Promise<void> => {
    const title = getSpaceTitle(space);
    const existing = former ?? created.current;
    const site =
      existing === undefined
        ? await api<Site>('POST', path, { body: { title, visibility, spaces: [space.id] } })
        : await api<Site>('PATCH', `${path}/${existing.id}`, { body: { visibility } });
    created.current = site;
    await api('POST', `${path}/${site.id}/publish`);
    await reload();
  };
  return (
    <ActionForm submit="Publish" onSubmit={publish} onCancel={onClose}>
      <p>The live content of this space becomes a site with its own address. You can unpublish it at any time.</p>
      <VisibilityField value={visibility} onChange={setVisibility} />
    </ActionForm>
  );
}
