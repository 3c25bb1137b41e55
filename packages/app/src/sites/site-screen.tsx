import type { Organization, Site } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api, get } from '../api.ts';
import type { ScreenProps } from '../routes.ts';
import { NotFoundScreen } from '../shell/not-found-screen.tsx';
import { AppScreen } from '../shell/screen.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { openTab } from '../ui/open-tab.ts';
import { isMissing, LoadedContent } from '../ui/states.tsx';
import { type LoadedValue, useApi } from '../use-api.ts';
import { AppearanceSection } from './appearance-section.tsx';
import { GeneralSection } from './general-section.tsx';
import { ShareLinkSection } from './share-link-section.tsx';
import { SiteSpacesSection } from './site-spaces-section.tsx';
import { PublishedLabel } from './sites-screen.tsx';

/** The settings of a site. Users who cannot manage it see only its address. */
export function SiteScreen({ params: { organization: id = '', site: siteId = '' } }: ScreenProps): VNode {
  const organizationPath = `/orgs/${id}`;
  const path = `${organizationPath}/sites/${siteId}`;
  const { value: organization } = useApi<Organization>(organizationPath);
  const site = useApi<Site>(path);
  if (isMissing(site)) return <NotFoundScreen />;
  const canManage = organization?.permissions.createContent === true;
  return (
    <AppScreen
      title={site.value?.title ?? 'Site'}
      crumbs={[
        ...(organization === undefined ? [] : [{ label: organization.title, href: `/app${organizationPath}` }]),
        { label: 'Sites', href: `/app${organizationPath}/sites` },
      ]}
      lead={site.value && <SiteAddress site={site.value} />}
      actions={site.value && canManage && <SiteActions site={site} path={path} />}
    >
      <LoadedContent loaded={site}>
        {(value) =>
          canManage && (
            <>
              <GeneralSection key={value.id} site={value} path={path} reload={site.reload} />
              {value.visibility === 'share-link' && <ShareLinkSection key={String(value.published)} path={path} />}
              <SiteSpacesSection organization={id} path={path} />
              <AppearanceSection site={value} path={path} />
            </>
          )
        }
      </LoadedContent>
    </AppScreen>
  );
}

const SiteAddress = ({ site }: { site: Site }): VNode => (
  <span class="site-address">
    <PublishedLabel site={site} />
    {site.urls.published !== undefined && (
      <a href={site.urls.published} target="_blank" rel="noopener">
        {site.urls.published}
      </a>
    )}
    {site.visibility === 'share-link' && <small>Readers need a share link.</small>}
  </span>
);

/** Opens the site as its readers will see it, in a new tab. */
const openPreview = (path: string): Promise<void> =>
  openTab(async () => (await get<{ url: string }>(`${path}/publishing/preview`)).url);

/** The buttons that open the preview, publish the site or take it offline. */
function SiteActions({ site: { value, reload }, path }: { site: LoadedValue<Site>; path: string }): VNode {
  const [isUnpublishing, setUnpublishing] = useState(false);
  const publish = (): void => {
    api('POST', `${path}/publish`)
      .then(reload)
      .then(() => notify('Site published'), notifyError);
  };
  const unpublish = async (): Promise<void> => {
    await api<Site>('POST', `${path}/unpublish`);
    await reload();
    setUnpublishing(false);
  };
  return (
    <>
      <button type="button" class="button" onClick={() => openPreview(path)}>
        Preview
      </button>
      {value?.published === true ? (
        <button type="button" class="button" onClick={() => setUnpublishing(true)}>
          Unpublish
        </button>
      ) : (
        <button type="button" class="button primary" onClick={publish}>
          Publish
        </button>
      )}
      {isUnpublishing && (
        <ConfirmDialog
          title="Unpublish the site?"
          text={`The site and all its spaces can no longer be read at ${value?.urls.published}.`}
          submit="Unpublish"
          onConfirm={unpublish}
          onClose={() => setUnpublishing(false)}
        />
      )}
    </>
  );
}
