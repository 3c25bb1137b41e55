import { type MountedEditor, mountEditor } from '@octavo/editor';
import type { User } from '@octavo/schema';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiRequestError, get } from '../api.ts';
import { isOwnRevision } from '../live/changed-values.ts';
import { onLiveEvent, setPresence } from '../live/live.ts';
import type { ScreenProps } from '../routes.ts';
import { AppScreen } from '../shell/screen.tsx';
import { usePageChanges } from '../space/use-page-changes.tsx';
import { usePages } from '../space/use-pages.ts';
import { UiIcon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useLoaded } from '../use-api.ts';
import { Autosave, type EditedText, type SaveState } from './autosave.ts';
import { ConflictButton } from './conflict-dialog.tsx';
import { DraftLine } from './draft-line.tsx';
import { type EditedPage, findPages, type LinkedFiles, loadLinkedFiles, loadText, sendText } from './edited-page.ts';
import { createContentOptions, type Opened } from './editor-content.ts';
import { guardLeaving, sendLastChanges } from './leave-guard.ts';
import { createDraftKey, storeLocalDraft, takeLocalDraft } from './local-drafts.ts';
import { MissingPage } from './missing-page.tsx';
import { OtherEditors, useOthers } from './other-editors.tsx';
import { type AskForReusableContent, useReusableContentDialog } from './reusable-content-dialog.tsx';
import { SaveMessage } from './save-message.tsx';
import { renameTitleHeading } from './title-heading.ts';

async function openText(edited: EditedPage): Promise<Opened> {
  const [text, user] = await Promise.all([loadText(edited), get<User>('/user')]);
  const files = await loadLinkedFiles(edited, text.links).catch((): LinkedFiles => new Map());
  return { edited, user: user.id, text, files };
}

/** Whether a text belongs to the page of the screen, and not to the page that was edited before. */
const isTextOfPage = (opened: Opened | undefined, { changeRequest, page }: EditedPage): boolean =>
  opened?.edited.changeRequest === changeRequest && opened.edited.page === page;

/** The editor of a page in a change request. */
export function EditScreen({ params: { space = '', changeRequest = '', page = '' } }: ScreenProps): VNode {
  const edited = useMemo(() => ({ space, changeRequest, page }), [space, changeRequest, page]);
  const [opened, setOpened] = useState<Opened>();
  const loaded = useLoaded(`edit ${changeRequest} ${page}`, () => openText(edited));
  // A cached text may be outdated, so the editor opens only the text of a new response.
  useEffect(() => {
    const { value } = loaded;
    if (!loaded.isLoading && value !== undefined)
      setOpened((former) => (isTextOfPage(former, edited) ? former : value));
  }, [loaded.isLoading, loaded.value, edited]);
  const shown = isTextOfPage(opened, edited) ? opened : undefined;
  if (shown !== undefined) return <PageEditor key={`${changeRequest} ${page}`} edited={edited} opened={shown} />;
  return (
    <AppScreen title="Edit">
      {loaded.error instanceof ApiRequestError && loaded.error.status === 404 ? (
        <MissingPage edited={edited} error={loaded.error} />
      ) : (
        <LoadedContent loaded={{ ...loaded, value: undefined }} lines={10}>
          {() => null}
        </LoadedContent>
      )}
    </AppScreen>
  );
}

/** Labels of the state of a text in the bar. */
const labels: Record<SaveState['kind'], string> = {
  saved: 'Saved',
  saving: 'Saving…',
  unsaved: 'Not saved yet',
  offline: 'Offline: stored in this browser',
  failed: 'Not saved',
  'signed-out': 'Not saved',
  conflict: '',
};

/** Returns the label of the state during an upload. The file is not saved yet, even if the text is. */
const labelDuringUpload = ({ kind }: SaveState): string =>
  kind === 'saved' || kind === 'saving' || kind === 'unsaved' ? 'Uploading…' : labels[kind];

interface Editing {
  autosave: Autosave;
  editor: MountedEditor;
  title: HTMLInputElement;
}

/** Starts the editor in two elements, and ends it when the screen is left. */
function useEditing(edited: EditedPage, opened: Opened) {
  const host = useRef<HTMLDivElement>(null);
  const titleField = useRef<HTMLInputElement>(null);
  const editing = useRef<Editing>(undefined);
  const [state, setState] = useState<SaveState>({ kind: 'saved' });
  const [isUploading, setUploading] = useState(false);
  const { ask, dialog } = useReusableContentDialog();
  const pages = usePages(`/spaces/${edited.space}/change-requests/${edited.changeRequest}`);
  const latestPages = useRef(pages.value);
  latestPages.current = pages.value;
  useEffect(() => {
    if (host.current === null || titleField.current === null) return;
    const find = (query: string) => Promise.resolve(findPages(latestPages.current?.byId.values() ?? [], query));
    const started = startEditing(host.current, titleField.current, {
      edited,
      opened,
      setState,
      setUploading,
      find,
      ask,
    });
    editing.current = started;
    const stopGuarding = guardLeaving(started);
    const stopFollowing = followOthers(edited, started.autosave);
    return () => {
      stopFollowing();
      stopGuarding();
      void sendLastChanges(started);
      started.editor.destroy();
    };
  }, [edited, opened, ask]);
  return { host, titleField, editing, state, isUploading, dialog, pages: pages.value };
}

function PageEditor({ edited, opened }: { edited: EditedPage; opened: Opened }): VNode {
  const { host, titleField, editing, state, isUploading, dialog, pages } = useEditing(edited, opened);
  const others = useOthers({ page: edited.page, self: opened.user }, editing);
  const { text } = opened;
  const address = `/app/spaces/${edited.space}/change-requests/${edited.changeRequest}`;
  const status = isUploading ? labelDuringUpload(state) : labels[state.kind];
  return (
    <AppScreen
      title={`Edit: ${text.title}`}
      crumbs={[{ label: text.changeRequest.subject || `Change request #${text.changeRequest.number}`, href: address }]}
      heading={false}
      actions={
        <EditorActions edited={edited} title={text.title} status={status}>
          {state.kind === 'conflict' && (
            <ConflictButton
              theirs={state.theirs}
              readMine={() => editing.current?.autosave.current}
              resolve={(keeps) => editing.current?.autosave.resolve(keeps)}
            />
          )}
          <OtherEditors others={others} page={edited.page} pages={pages} />
          <SourceButton editing={editing} />
          <a class="button primary" href={address}>
            <span>
              Review<span class="wide-only"> changes</span>
            </span>
          </a>
        </EditorActions>
      }
    >
      <div class="edit-screen">
        <h1 class="hidden">Edit: {text.title}</h1>
        <DraftLine edited={edited} changeRequest={text.changeRequest} />
        <SaveMessage state={state} retry={() => editing.current?.autosave.save()} />
        <input ref={titleField} class="edit-title" aria-label="Title" placeholder="Title" maxLength={256} />
        <div ref={host} />
        {dialog}
      </div>
    </AppScreen>
  );
}

/** Switches between rich text and Markdown. */
function SourceButton({ editing }: { editing: { current: Editing | undefined } }): VNode {
  const [isSource, setSource] = useState(false);
  const toggle = async (): Promise<void> => {
    try {
      await editing.current?.editor.setSourceMode(!isSource);
      setSource(!isSource);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <button type="button" class="button" aria-pressed={isSource} onClick={toggle}>
      Markdown
    </button>
  );
}

interface EditorActionsProps {
  edited: EditedPage;
  title: string;
  /** The label of the state of the text. */
  status: string;
  children: ComponentChildren;
}

/** The state of the text, buttons, and the menu that moves or deletes the page. */
function EditorActions({ edited: { space, changeRequest, page }, title, status, children }: EditorActionsProps): VNode {
  const { items, dialog } = usePageChanges({ space, changeRequest, page: { id: page, title } });
  return (
    <>
      <span class="edit-status" role="status">
        {status}
      </span>
      {children}
      <Menu class="icon-button" label="More actions" align="end" items={items}>
        <UiIcon name="more" />
      </Menu>
      {dialog}
    </>
  );
}

interface EditingOptions {
  edited: EditedPage;
  opened: Opened;
  setState: (state: SaveState) => void;
  setUploading: (isUploading: boolean) => void;
  find: (query: string) => Promise<ReturnType<typeof findPages>>;
  ask: AskForReusableContent;
}

/** Shows the text, or a later version of it that this browser has stored, and saves its changes. */
function startEditing(host: HTMLElement, title: HTMLInputElement, options: EditingOptions): Editing {
  const { edited, opened, setState, setUploading, find, ask } = options;
  const owner = { ...edited, user: opened.user };
  const key = createDraftKey(owner);
  const draft = takeLocalDraft(owner, key);
  const shown: EditedText = draft ?? opened.text;
  title.value = shown.title;
  const base = draft?.base ?? opened.text;
  const autosave = new Autosave(
    { title: base.title, markdown: base.markdown, revision: base.revision },
    {
      send: (text, revision) => sendText(edited, text, revision),
      load: () => loadText(edited),
      store: (changed) => storeLocalDraft(key, changed),
      show: (text) => {
        title.value = text.title;
        editor.setMarkdown(text.markdown, text.title);
      },
      onState: setState,
      onMerged: () => notify('Changes made elsewhere were merged into your text.'),
      wait: (run, milliseconds) => {
        const timer = setTimeout(run, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    draft?.sent,
  );
  const change = (): void => {
    const written = title.value.trim() || base.title;
    editor.setTitle(written);
    autosave.change({ title: written, markdown: editor.getMarkdown() });
  };
  const editor = mountEditor(host, {
    markdown: shown.markdown,
    title: opened.text.showsTitle ? shown.title : undefined,
    label: 'Text of the page',
    placeholder: 'Write something, or type / to insert a block',
    onChange: change,
    onUploading: setUploading,
    onBlock: (block) => setPresence({ changeRequest: edited.changeRequest, page: edited.page, block }),
    searchPages: find,
    ...createContentOptions({ edited, opened, autosave, ask }),
  });
  followTitle(title, editor, change);
  if (draft === undefined) editor.focus();
  else change();
  return { autosave, editor, title };
}

/** Saves the title while the user writes it, and then renames the heading that repeats it if the editor shows it. */
function followTitle(field: HTMLInputElement, editor: MountedEditor, change: () => void): void {
  let former = field.value;
  field.oninput = change;
  field.onfocus = () => {
    former = field.value;
  };
  field.onchange = () => {
    const markdown = editor.getMarkdown();
    const renamed = field.value.trim() === '' ? markdown : renameTitleHeading(markdown, former, field.value);
    former = field.value;
    // A heading that repeats the new title is no longer shown.
    editor.setMarkdown(renamed);
    if (renamed !== markdown) change();
  };
}

/** Applies the changes of other users and shows them the edited page, until the returned function is called. */
function followOthers({ changeRequest, page }: EditedPage, autosave: Autosave): () => void {
  setPresence({ changeRequest, page });
  const stop = onLiveEvent((event) => {
    const isOfDraft = event?.type === 'revision.created' && event.changeRequest === changeRequest;
    if (event === undefined || (isOfDraft && !isOwnRevision(event))) void autosave.refresh(event?.revision);
  });
  return () => {
    stop();
    setPresence(null);
  };
}
