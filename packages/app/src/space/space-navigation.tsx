import type { ChangeRequest, Page } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { isActive } from '../change-requests/use-change-request.ts';
import { getPageAddress } from '../page/resolve-reference.ts';
import { useAppLocation } from '../router.ts';
import { listSpaceLinks } from '../routes.ts';
import { usePlace } from '../session.ts';
import { getSpaceTitle, SidebarLink } from '../shell/sidebar.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';
import { NewPageDialog } from './new-page-dialog.tsx';
import { PageTree } from './page-tree.tsx';
import { usePageMoves } from './use-page-moves.ts';
import { findFirstPage, usePages } from './use-pages.ts';

/** The content that the page tree of a screen shows. */
interface ShownContent {
  /** The path of the content, or undefined until it is known whether the change request can be edited. */
  path: string | undefined;
  changeRequest: string | undefined;
}

/**
 * Returns the content that the page tree shows: that of the change request if the user can edit it, otherwise live
 * content.
 */
function useShownContent(base: string, id: string | undefined, canEdit: boolean | undefined): ShownContent {
  const changeRequestPath = id === undefined ? undefined : `${base}/change-requests/${id}`;
  const { value, error } = useApi<ChangeRequest>(changeRequestPath);
  if (id === undefined || canEdit === false || error !== undefined) return { path: base, changeRequest: undefined };
  if (value === undefined || canEdit === undefined) return { path: undefined, changeRequest: id };
  return isActive(value) ? { path: changeRequestPath, changeRequest: id } : { path: base, changeRequest: undefined };
}

/** The navigation of a space: its screens and its page tree. */
export function SpaceNavigation({ params }: { params: Record<string, string> }): VNode {
  const { space: spaceId = '', page } = params;
  const base = `/spaces/${spaceId}`;
  const { space } = usePlace();
  const canEdit = space?.value?.permissions.edit;
  const { path: contentPath, changeRequest } = useShownContent(base, params.changeRequest, canEdit);
  const { path } = useAppLocation();
  const loaded = usePages(contentPath);
  const { pages, move } = usePageMoves({ space: spaceId, changeRequest, path: contentPath, loaded });
  const shown = page ?? (path === base ? pages && findFirstPage(pages.roots)?.id : undefined);
  const title = space?.value === undefined ? '' : getSpaceTitle(space.value);
  return (
    <>
      <a class="sidebar-button" href={`/app${base}`}>
        <Avatar name={title} emoji={space?.value?.emoji ?? ''} isSquare />
        <span class="grow strong">{title}</span>
      </a>
      <nav class="sidebar-links" aria-label="Space">
        <ul>
          {listSpaceLinks(spaceId, canEdit !== false).map((link) => (
            <li key={link.path}>
              <SidebarLink path={link.path} icon={link.icon}>
                {link.label}
              </SidebarLink>
            </li>
          ))}
        </ul>
      </nav>
      <PagesHead
        space={spaceId}
        canEdit={canEdit === true}
        changeRequest={changeRequest}
        isLoaded={pages !== undefined}
        shown={shown === undefined ? undefined : pages?.byId.get(shown)}
      />
      <div class="sidebar-scroll">
        <LoadedContent loaded={{ ...loaded, value: pages }} lines={8}>
          {(value) => (
            <PageTree
              {...{ space: spaceId, changeRequest, pages: value, current: shown }}
              getAddress={(id) => getPageAddress(contentPath ?? base, id)}
              move={canEdit === true ? move : undefined}
            />
          )}
        </LoadedContent>
      </div>
    </>
  );
}

interface PagesHeadProps {
  space: string;
  canEdit: boolean;
  changeRequest: string | undefined;
  /** Whether the page tree is loaded. Until then, the positions of a new page are unknown. */
  isLoaded: boolean;
  /** The page of the screen. */
  shown: Page | undefined;
}

/** The heading of the page tree, with a button that creates a page inside or beside the shown one. */
function PagesHead({ space, canEdit, changeRequest, isLoaded, shown }: PagesHeadProps): VNode {
  const [isCreating, setCreating] = useState(false);
  return (
    <div class="pages-head">
      <h2>Pages</h2>
      {canEdit && (
        <button
          type="button"
          class="icon-button"
          aria-label="New page"
          title="New page"
          disabled={!isLoaded}
          onClick={() => setCreating(true)}
        >
          <UiIcon name="plus" />
        </button>
      )}
      {isCreating && (
        <NewPageDialog
          space={space}
          changeRequest={changeRequest}
          shown={
            shown?.type === 'document' && shown.computed === undefined
              ? { id: shown.id, title: shown.title, hasChildren: shown.pages.length > 0 }
              : undefined
          }
          onClose={() => setCreating(false)}
        />
      )}
    </div>
  );
}
