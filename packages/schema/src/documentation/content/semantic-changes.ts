import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';
import { file } from './examples.ts';

const changedPage = { id: ids.page, type: 'document', title: 'Install Acme' } as const;

const changedDocument = {
  before: ids.document,
  after: 'd3486ae9136e7856bc42212385ea797094475802d1c5b4e5f2a0f9d8f1f2b7c1',
  added: 1,
  removed: 1,
  diff: '@@ -1,3 +1,3 @@\n # Install Acme\n \n-Run the installer.\n+Run the installer as root.\n',
} as const;

const changedBlock = {
  change: 'changed',
  type: 'paragraph',
  before: '01fwh8b1f2ja43',
  after: '1k2v7qz0c9x5me',
  words: [{ text: 'Run the installer' }, { text: ' as root', change: 'added' }, { text: '.' }],
} as const;

const attributes = { title: { before: 'Install', after: 'Install Acme' }, document: changedDocument } as const;

const change = { type: 'page_edited', page: changedPage, attributes } as const;

/** Returns descriptions of attributes with a value before and after a change. */
const describeBeforeAndAfter = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => [
      [name, `The change of the ${text}. Absent if it is unchanged.`],
      [`${name}.before`, `The ${text} before the change. Absent if it was not set.`],
      [`${name}.after`, `The ${text} after the change. Absent if it is not set.`],
    ]),
  );

const parameters = {
  limit:
    'The maximum number of changes to return, and of conflicts. Files, pages and reusable contents count as one each.',
  diffs: 'Whether to include the diffs of documents and the numbers of their changed lines.',
  targetPage: 'Lists only the changes of the page with this id.',
};

export const semanticChanges: ResourceDocumentation = {
  operations: {
    getChangeRequestChanges: {
      description:
        'Lists the changes of a change request, compared with the content that it is based on: pages, files, reusable ' +
        'contents and variables, each with its changed attributes and a diff of its text. Also lists the ' +
        'unresolved conflicts of an earlier update.',
      parameters,
    },
    getRevisionSemanticChanges: {
      description:
        'Lists the changes of a revision, compared with its first parent: pages, files, reusable contents and ' +
        'variables, each with its changed attributes and a diff of its text.',
      parameters,
    },
    ...forEachContent(
      {
        getBlockChangesInChangeRequest: 'a change request with the content that it is based on',
        getBlockChangesInRevision: 'a revision with its first parent',
      },
      (contents) => ({
        description:
          `Compares the text of a page in ${contents}, block by block. Lists the top-level blocks that were added, ` +
          'removed, changed or moved, with the changed words. Returns 404 if neither has the page.',
        parameters: { base: 'The id of another revision of the space to compare with.' },
      }),
    ),
  },
  schemas: {
    BlockChanges: {
      description: 'The differences between the texts of two versions of a page, by blocks.',
      properties: {
        page: 'The id of the page.',
        before: 'The id of the earlier document. Absent if the page had none.',
        after: 'The id of the later document. Absent if the page has none.',
        blocks:
          'The blocks that differ, in the order of the later text. A removed block precedes the blocks that replace it.',
        truncated: 'Set if the texts are too long to be compared, or if more blocks differ than the list contains.',
      },
      example: {
        page: ids.page,
        before: changedDocument.before,
        after: changedDocument.after,
        blocks: [changedBlock],
      },
    },
    BlockChange: {
      description: 'A top-level block that differs between two versions of a page.',
      properties: {
        change: 'Whether the block was added, removed, changed or only moved.',
        type: 'The type of the block.',
        before: 'The key of the block in the earlier document. Absent for an added block.',
        after: 'The key of the block in the later document. Absent for a removed block.',
        preview: 'The first 200 characters of the text of the block. Absent for a changed block.',
        words:
          'The text of a changed block, in parts. Removed words precede the words that replace them. Absent for other ' +
          'blocks, and if the text is too long.',
        'words[].text': 'The text of the part.',
        'words[].change': 'Whether the part was added or removed. Absent if both versions have it.',
      },
      example: changedBlock,
    },
    SemanticChanges: {
      description: 'The difference between two states of the content.',
      properties: {
        changes: 'The changes, the oldest first. Changed variables are one entry at the end.',
        more: 'The number of changes beyond the limit. Absent if there are none.',
        mergedFrom: 'The change request whose merge created the revision. Absent for other revisions.',
        conflicts: 'The unresolved conflicts of an earlier update. Absent if there are none.',
        moreConflicts: 'The number of conflicts beyond the limit. Absent if there are none.',
      },
      example: { changes: [change] },
    },
    SemanticChange: {
      description: 'A change of one object.',
      variants: {
        page_created: 'A page was created.',
        page_edited: 'The text or other attributes of a page were changed.',
        page_deleted: 'A page was deleted.',
        page_moved: 'A page was moved to another parent or another position.',
        file_created: 'A file was added.',
        file_edited: 'The bytes or the name of a file were changed.',
        file_deleted: 'A file was deleted.',
        variables_edited: 'Variables of the space were changed.',
        reusable_content_created: 'A reusable content was created.',
        reusable_content_edited: 'The title or the text of a reusable content was changed.',
        reusable_content_deleted: 'A reusable content was deleted.',
      },
      properties: {
        type: 'The kind of change.',
        page: 'The page that has changed.',
        attributes: 'The changed attributes.',
        'attributes.document': 'The change of the text. Absent if it is unchanged.',
        'attributes.title': 'The change of the title. Absent if it is unchanged.',
        'attributes.title.before': 'The title before the change.',
        'attributes.title.after': 'The title after the change.',
        parent: 'The parents of a moved page. Both are the same if only its position among its siblings has changed.',
        'parent.before': 'The parent before the change. Absent if the page was at the top level.',
        'parent.after': 'The parent after the change. Absent if the page is at the top level.',
        file: 'The file. For a deleted one, its last state.',
        variables: 'The changed variables.',
        'variables.before': 'The former values, by name. Added variables are absent.',
        'variables.after': 'The new values, by name. Removed variables are absent.',
        reusableContent: 'The reusable content.',
        'reusableContent.id': 'The id of the reusable content.',
        'reusableContent.title': 'The title of the reusable content.',
        'reusableContent.document': 'The id of its text. Absent if it has none.',
      },
      example: change,
    },
    ChangedPage: {
      description: 'A page that has changed.',
      properties: {
        type: 'The type of the page.',
        title: 'The title of the page.',
        path: 'The path of the page. Not set by this server.',
      },
      example: changedPage,
    },
    ChangedDocument: {
      description: 'The change of a text.',
      properties: {
        before: 'The id of the former text. Absent if there was none.',
        after: 'The id of the new text. Absent if there is none.',
        added: 'The number of added lines. Absent if the texts are too large to be compared.',
        removed: 'The number of removed lines. Absent if the texts are too large to be compared.',
        diff: 'The hunks of a unified diff of the Markdown. Absent if `truncated` is set.',
        truncated: 'True if the texts, or the differences in one response, are too large. Otherwise absent.',
      },
      example: changedDocument,
    },
    ChangedPageAttributes: {
      description: 'The changed attributes of a page.',
      properties: {
        ...describeBeforeAndAfter({
          title: 'title',
          description: 'description',
          slug: 'slug',
          emoji: 'emoji',
          icon: 'icon',
          hidden: 'flag that hides the page from the navigation',
          noIndex: 'flag that excludes the page from search',
          noRobotsIndex: 'flag that excludes the page from search engines',
          condition: 'condition',
          cover: 'cover',
          layout: 'layout',
          variables: 'variables',
          target: 'target of the link',
        }),
        document: 'The change of the text. Absent if it is unchanged.',
      },
      example: attributes,
    },
    ChangedFileAttributes: {
      description: 'The changed attributes of a file.',
      properties: {
        ...describeBeforeAndAfter({
          name: 'name',
          contentType: 'content type',
          size: 'size in bytes',
          dimensions: 'dimensions of the image',
          downloadURL: 'download URL',
        }),
        'dimensions.before.width': 'The width in pixels.',
        'dimensions.before.height': 'The height in pixels.',
        'dimensions.after.width': 'The width in pixels.',
        'dimensions.after.height': 'The height in pixels.',
      },
      example: { name: { before: 'acme.png', after: file.name } },
    },
  },
};
