import type { DocumentPage, PdfExport, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../api.ts';
import { useFavoriteAction } from '../home/bookmarks.ts';
import { copyText } from '../ui/copy-text.ts';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notifyError } from '../ui/notice.tsx';
import { openTab } from '../ui/open-tab.ts';
import { ExportDialog } from './export-dialog.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { SpaceSettingsDialog } from './space-settings-dialog.tsx';
import { usePageChanges } from './use-page-changes.tsx';

/** Opens a PDF in a new tab. The tab shows the progress until the PDF is ready. */
const openPdf = (space: string, page?: string): Promise<void> =>
  openTab(async () => {
    const { url } = await get<PdfExport>(`/spaces/${space}/pdf`, page === undefined ? {} : { page, only: true });
    return url;
  });

function copyAddress(): void {
  copyText(window.location.href, null, 'Link copied').catch(notifyError);
}

const dialogs = { export: ExportDialog, publish: PublishDialog, settings: SpaceSettingsDialog };

interface SpaceActionsProps {
  space: Space;
  page?: DocumentPage;
}

/** The menu of a space, and of the shown page if there is one. */
export function SpaceActions({ space, page }: SpaceActionsProps): VNode {
  const [dialog, setDialog] = useState<keyof typeof dialogs>();
  const Dialog = dialog && dialogs[dialog];
  const favorite = useFavoriteAction(space.id, page?.id);
  const canChange = page !== undefined && page.computed === undefined && space.permissions.edit;
  const changes = usePageChanges(canChange ? { space: space.id, page } : undefined);
  const items: MenuItem[] = [
    { label: 'Copy link', icon: 'link', onSelect: copyAddress },
    favorite,
    ...(canChange
      ? [
          {
            label: 'History of this page',
            icon: 'clock',
            href: `/app/spaces/${space.id}/history?page=${page.id}`,
          } as const,
        ]
      : []),
    ...(page === undefined
      ? []
      : [{ label: 'PDF of this page', icon: 'file', onSelect: () => openPdf(space.id, page.id) } as const]),
    ...changes.items,
    { label: 'PDF of the space', icon: 'download', onSelect: () => openPdf(space.id), startsGroup: true },
    { label: 'Export as Markdown', icon: 'download', onSelect: () => setDialog('export') },
    ...(space.permissions.admin
      ? ([
          { label: 'Publish', icon: 'globe', onSelect: () => setDialog('publish') },
          { label: 'Space settings', icon: 'settings', onSelect: () => setDialog('settings') },
        ] as const)
      : []),
  ];
  return (
    <>
      <Menu class="icon-button" label="More actions" align="end" items={items}>
        <UiIcon name="more" />
      </Menu>
      {changes.dialog}
      {Dialog !== undefined && <Dialog space={space} onClose={() => setDialog(undefined)} />}
    </>
  );
}
