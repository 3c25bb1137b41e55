import { mapConcurrently } from '@octavo/client';
import type { ChangeRequest, ContentChange, File, MergeConflict, Revision } from '@octavo/schema';
import { downloadFile, type Present, presentTree, walkPresent } from '@octavo/space-files';
import type { Api } from '../api.ts';
import { Outline, root } from '../import/outline.ts';
import type { NamedConflict } from '../import/report.ts';
import type { FileStep } from '../import/send-files.ts';
import { listAll } from '../spaces.ts';

const limit = '1000';
const concurrency = 8;
const namedAtMost = 100;
/** Prefix of a line in the description. The line names the change request that the conflicts belong to. */
const mark = 'Octavo-Conflict-Of: ';

/** A change request with conflicts that no user has resolved yet. */
export interface UndecidedRequest {
  id: string;
  number: number;
  subject: string;
  /** Conflicts to resolve. Empty if all are resolved and the change request can be merged. */
  conflicts: NamedConflict[];
}

interface RequestStart {
  subject: string;
  revision: string;
  conflicts: MergeConflict[];
}

/** The conflict change requests of a space: separate change requests with the conflicts of a sync. */
export class ConflictRequests {
  readonly #api: Api;
  readonly #spaceId: string;

  constructor(api: Api, spaceId: string) {
    this.#api = api;
    this.#spaceId = spaceId;
  }

  /** Returns the open or draft change request that holds the conflicts of the given change request. */
  find = async (revisionId: string): Promise<ChangeRequest | undefined> =>
    (await this.#list()).find(({ description = '' }) => description.endsWith(`\n${mark}${revisionId}`));

  /** Returns all conflict change requests that wait for a user. */
  async getUndecided(): Promise<UndecidedRequest[]> {
    return mapConcurrently(await this.#list(), concurrency, async (request) => {
      const { id, number, subject } = request;
      const params = { spaceId: this.#spaceId, changeRequestId: id };
      const { conflicts = [] } = await this.#api.getChangeRequestChanges({ params, query: { limit } });
      return { id, number, subject, conflicts: await this.#nameConflicts(conflicts, request) };
    });
  }

  /** Adds paths to conflicts: users know items by their paths, which the server does not return with conflicts. */
  async #nameConflicts(
    conflicts: MergeConflict[],
    { revision, revisionInitial }: ChangeRequest,
  ): Promise<NamedConflict[]> {
    if (conflicts.every(({ kind }) => kind === 'variable')) return conflicts;
    const sides = await Sides.read(this.#api, this.#spaceId, { base: revisionInitial, source: revision });
    return conflicts.map((conflict) => sides.addConflictPath(conflict));
  }

  /** Creates a conflict change request as a draft. It is opened when it is complete. */
  begin(revisionId: string, { subject, revision, conflicts }: RequestStart): Promise<ChangeRequest> {
    const conflictNames = conflicts.slice(0, namedAtMost).map((each) => `- ${getName(each)}`.slice(0, namedAtMost - 1));
    const suffix = conflicts.length > namedAtMost ? [`- and ${conflicts.length - namedAtMost} more`] : [];
    const description =
      'These changes conflict. This change request contains the versions of the repository. Archive it to keep the ' +
      'versions of Octavo:';
    return this.#api.createChangeRequest({
      params: { spaceId: this.#spaceId },
      body: {
        subject: `Conflict: ${subject}`.slice(0, 100).toWellFormed(),
        description:
          `${[description, '', ...conflictNames, ...suffix, '', `${mark}${revisionId}`].join('\n')}`.toWellFormed(),
        revision,
      },
    });
  }

  async #list(): Promise<ChangeRequest[]> {
    const params = { spaceId: this.#spaceId };
    const all = await Promise.all(
      (['open', 'draft'] as const).map((status) =>
        listAll((query) => this.#api.listChangeRequestsForSpace({ params, query: { ...query, status } })),
      ),
    );
    return all.flat().filter(({ description }) => description?.includes(`\n${mark}`));
  }
}

/** Formats a conflict as text. */
export const getName = ({ kind, id, title, field }: MergeConflict): string => `${kind} ${title ?? id}: ${field}`;

/** Changes to the base revision that give items in conflict the values from the change request. */
interface ConflictChanges {
  changes: ContentChange[];
  /** Files in which both sides changed the bytes. */
  files: FileStep[];
}

type Fields = MergeConflict[];
type PageUpdate = Extract<ContentChange, { operation: 'update_page' }>;

/** Page fields that a change sets to a single value, by their names in conflicts. */
const plainFields = [
  'title',
  'slug',
  'emoji',
  'icon',
  'description',
  'hidden',
  'noIndex',
  'noRobotsIndex',
  'condition',
] as const;

/** A revision of a change request and its base revision, with the differences between them. */
export class Sides {
  readonly #api: Api;
  readonly #spaceId: string;
  readonly #base: Revision;
  readonly #source: Revision;
  readonly #pages: ReadonlyMap<string, Present>;
  readonly #basePages: ReadonlyMap<string, Present>;
  readonly #outline: Outline;

  private constructor(api: Api, spaceId: string, { base, said: source }: { base: Revision; said: Revision }) {
    this.#api = api;
    this.#spaceId = spaceId;
    this.#base = base;
    this.#source = source;
    this.#pages = indexById([...walkPresent(presentTree(source.pages))]);
    const basePages = presentTree(base.pages);
    this.#basePages = indexById([...walkPresent(basePages)]);
    this.#outline = Outline.fromPages(basePages);
  }

  static async read(api: Api, spaceId: string, ids: { base: string; source: string }): Promise<Sides> {
    const getRevision = (revisionId: string) =>
      api.getRevisionById({ params: { spaceId, revisionId }, query: { computed: 'false' } });
    const [base, source] = await Promise.all([getRevision(ids.base), getRevision(ids.source)]);
    return new Sides(api, spaceId, { base, said: source });
  }

  /** Returns the depth of a page in the tree of the change request. */
  getDepth(id: string): number {
    const parent = this.#pages.get(id)?.parent;
    return parent === undefined ? 0 : this.getDepth(parent.id) + 1;
  }

  getParent = (id: string): string | undefined => this.#pages.get(id)?.parent?.id;

  /** Whether the change request has added the page. */
  isNew = (id: string): boolean => this.#pages.has(id) && !this.#outline.has(id);

  /** Adds the title and the paths of the item to a conflict, so that users recognize it. */
  addConflictPath(conflict: MergeConflict): NamedConflict {
    const { kind, id, title } = conflict;
    if (kind === 'page') {
      const { git, path: page } = this.#pages.get(id) ?? this.#basePages.get(id) ?? {};
      return { ...conflict, ...(git && { path: git.path }), ...(page && { page }) };
    }
    const all = [this.#source, this.#base].flatMap(({ files, reusableContents }) => [...files, ...reusableContents]);
    const node = all.find((each) => each.id === id);
    const name = node?.object === 'file' ? node.name : node?.title;
    const path = node?.git?.path;
    return { ...conflict, title: title ?? path ?? name ?? id, ...(path !== undefined && path !== title && { path }) };
  }

  /**
   * Returns the changes of the items in conflict. An item that is not in the base cannot be changed, and is only
   * listed.
   */
  async createChanges(conflicts: MergeConflict[]): Promise<ConflictChanges> {
    const changes: ConflictChanges = { changes: [], files: [] };
    for (const fields of Map.groupBy(conflicts, ({ kind, id }) => `${kind} ${id}`).values()) {
      const [{ kind, id } = { kind: 'page', id: '' }] = fields;
      if (kind === 'page') changes.changes.push(...(await this.#changePage(id, fields)));
      else if (kind === 'reusable-content') changes.changes.push(...(await this.#changeContent(id)));
      else if (kind === 'variable')
        changes.changes.push({ operation: 'set_variables', variables: { [id]: this.#source.variables[id] ?? null } });
      else await this.#addFile(id, changes);
    }
    return changes;
  }

  async #changePage(id: string, fields: Fields): Promise<ContentChange[]> {
    if (!this.#outline.has(id)) return [];
    const present = this.#pages.get(id);
    if (present === undefined) return [{ operation: 'delete_page', page: id }];
    const hasField = (field: string) => fields.some((each) => each.field === field || each.field === 'node');
    const readPage = (revisionId: string) =>
      this.#api.getPageInRevisionById({ params: { spaceId: this.#spaceId, revisionId, pageId: id } });
    const [baseFields, sourceFields] = await Promise.all([readPage(this.#base.id), readPage(this.#source.id)]);
    const change: PageUpdate = { operation: 'update_page', page: id };
    const isRewritten =
      sourceFields.type === 'document' &&
      baseFields.type === 'document' &&
      sourceFields.markdown !== baseFields.markdown;
    if (isRewritten && hasField('document')) change.document = { markdown: sourceFields.markdown ?? '' };
    for (const field of plainFields) {
      const [value, baseValue] = [field, field].map(
        (key, index) => (index === 0 ? sourceFields : baseFields)[key as keyof typeof sourceFields],
      );
      if (hasField(field) && value !== baseValue) Object.assign(change, { [field]: value ?? getEmpty(field) });
    }
    if (['place', 'parent'].some(hasField)) Object.assign(change, this.#getPosition(present));
    return Object.keys(change).length > 2 ? [change] : [];
  }

  /** Returns the position of a page among the pages that are also in the base revision. */
  #getPosition(page: Present): Pick<PageUpdate, 'into' | 'at'> {
    let holder = page.parent;
    while (holder && !this.#outline.has(holder.id)) holder = holder.parent;
    const parent = holder?.id ?? root;
    const siblings = page.parent?.children ?? [...this.#pages.values()].filter((page) => page.parent === undefined);
    const before = siblings
      .slice(0, siblings.indexOf(page))
      .findLast(({ id }) => this.#outline.has(id) && this.#outline.getParent(id) === parent);
    const from = this.#outline.getParent(page.id);
    const offset = this.#outline.copy().insert(page.id, parent, before?.id);
    return { ...(from !== parent && { into: holder?.id ?? null }), ...(offset !== undefined && { at: offset }) };
  }

  async #changeContent(id: string): Promise<ContentChange[]> {
    const hasReusableContent = ({ reusableContents }: Revision) => reusableContents.some((each) => each.id === id);
    if (!hasReusableContent(this.#base)) return [];
    if (!hasReusableContent(this.#source)) return [{ operation: 'delete_reusable_content', reusableContent: id }];
    const params = { spaceId: this.#spaceId, revisionId: this.#source.id, reusableContentId: id };
    const { title, markdown = '' } = await this.#api.getReusableContentInRevisionById({ params });
    return [{ operation: 'update_reusable_content', reusableContent: id, title, document: { markdown } }];
  }

  async #addFile(id: string, { changes, files }: ConflictChanges): Promise<void> {
    const findFile = (revision: Revision): File | undefined => revision.files.find((each) => each.id === id);
    const [baseFile, sourceFile] = [findFile(this.#base), findFile(this.#source)];
    if (baseFile === undefined) return;
    if (sourceFile === undefined) {
      changes.push({ operation: 'delete_file', file: id });
      return;
    }
    const { name, git } = sourceFile;
    if (name !== baseFile.name || git?.path !== baseFile.git?.path)
      changes.push({ operation: 'update_file', file: id, name, ...(git && { git: { path: git.path } }) });
    const hasSameBytes = baseFile.git !== undefined && git !== undefined && baseFile.git.oid === git.oid;
    if (hasSameBytes || baseFile.downloadURL === sourceFile.downloadURL) return;
    const bytes = await downloadFile(sourceFile);
    files.push({ path: name, bytes, size: bytes.length, present: id });
  }
}

const getEmpty = (field: string): string | boolean => (/^(?:hidden|no)/.test(field) ? false : '');

const indexById = (pages: Present[]): Map<string, Present> => new Map(pages.map((page) => [page.id, page]));
