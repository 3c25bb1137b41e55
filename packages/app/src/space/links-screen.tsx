import type { ContentReference, LinkItem, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { useList } from '../use-api.ts';
import { SpaceSubscreen } from './space-screen-frame.tsx';

/** The broken links of a space, with the pages that contain them. */
export const BrokenLinksScreen = (): VNode => (
  <SpaceSubscreen title="Broken links" lead="Links to pages, files and headings that do not exist.">
    {(space) => <BrokenLinks space={space} />}
  </SpaceSubscreen>
);

function BrokenLinks({ space }: { space: Space }): VNode {
  const links = useList<LinkItem>(`/spaces/${space.id}/links`, { status: 'broken' });
  return (
    <LoadedContent loaded={links}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon="check" title="No broken links">
            <p>All links between the pages and files of this space work.</p>
          </EmptyState>
        ) : (
          <ul class="rows">
            {all.map((link) => (
              <li key={link.id} class="row">
                <UiIcon name="link" />
                <span class="grow">
                  <code class="link-target">{link.target}</code>
                  <small>
                    {link.reason === 'no-anchor' ? 'The heading does not exist. ' : 'The target does not exist. '}
                    <Locations space={space} link={link} />
                  </small>
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </LoadedContent>
  );
}

const getPage = (reference: ContentReference) => (reference.kind === 'page' ? [reference.page] : []);

function Locations({ space, link }: { space: Space; link: LinkItem }): VNode {
  const pages = link.locationReferences.flatMap(getPage);
  const others = link.locations - pages.length;
  return (
    <>
      On{' '}
      {pages.map(({ id, title }, index) => (
        <>
          {index > 0 && ', '}
          <a href={`/app/spaces/${space.id}/content/page/${id}`}>{title}</a>
        </>
      ))}
      {others > 0 && ` and in ${others} more ${others === 1 ? 'location' : 'locations'}`}
    </>
  );
}
