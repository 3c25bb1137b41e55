import { createLocationUrl, ids, spacePath } from '../acme.ts';
import { changeRequest } from '../collaboration/examples.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { addPathPrefix } from '../documentation.ts';
import { markdown } from './examples.ts';
import { documentTarget, layoutTexts } from './pages.ts';

const edit = { operation: 'update_page', page: ids.page, document: { markdown } } as const;

const batch =
  'The changes are applied in order as one revision, all or none. Returns 409 if `revision` is not the current ' +
  'revision, or a slug is taken, and 400 with the path of each faulty change.';

const body = {
  changes: 'The changes, in the order in which they are applied.',
  revision:
    'The id of the revision that the changes are based on. If the content has changed since then, nothing is written ' +
    'and the response is a 409. If omitted, the changes apply to the current content.',
};

const response = {
  changes: 'The changed objects. Each page is listed once, in the order in which the changes first touched them.',
  insertedFiles: 'The new files. Absent if there are none.',
  warnings: 'Invalid values of frontmatter, which are stored but have no effect. Absent if there are none.',
  'warnings[].path': 'The location of the value in the request.',
  'warnings[].message': 'A description of the problem.',
};

const appliedExample = {
  object: 'updated_page',
  page: {
    object: 'page',
    id: ids.page,
    urls: { location: createLocationUrl(`${spacePath}/content/page/${ids.page}`) },
  },
} as const;

const example = {
  body: {
    changes: [
      { operation: 'insert_page', ref: 'guide', title: 'Guide', document: { markdown: '# Guide\n' } },
      { operation: 'insert_page', into: 'guide', document: { markdown: '# First steps\n' } },
      edit,
    ],
    revision: ids.revision,
  },
};

export const changes: ResourceDocumentation = {
  operations: {
    updateSpaceContent: {
      description:
        `Changes the live content of a space. ${batch} Returns 412 if the edit mode of the space is \`locked\`: use a ` +
        'change request instead. Requires the role `edit`.',
      parameters: {
        compat: 'Accepted for clients that change the content of change requests. The response is always the same.',
      },
      body,
      response: { ...response, revision: 'The id of the new revision.' },
      example: { ...example, response: { revision: ids.revision, changes: [appliedExample] } },
    },
    updateChangeRequestContent: {
      description:
        `Changes the content of a change request. ${batch} Also returns 409 if the change request is merged or ` +
        'archived. Reviews become outdated. Requires the role `edit`.',
      parameters: {
        compat:
          'Whether the response is the change request itself, as older clients expect. If false, it also lists the ' +
          'changed objects.',
      },
      body,
      response: { ...response, changeRequest: 'The change request.' },
      example: { ...example, response: { changeRequest, changes: [appliedExample] } },
    },
  },
  schemas: {
    ContentChange: {
      description: 'A change of the content. `operation` determines the other properties.',
      variants: {
        update_page: 'Changes the text, the metadata or the position of a page. Omitted properties are unchanged.',
        insert_page: 'Adds a page.',
        insert_group: 'Adds a group at the top level.',
        insert_link: 'Adds a link to the navigation.',
        insert_computed: 'Adds a computed page, which is replaced with generated pages.',
        delete_page: 'Deletes a page with all pages below it.',
        revert_page:
          'Resets a page, or some of its blocks, to an earlier state. A page that did not exist then is deleted.',
        resolve: 'Resolves a conflict of an earlier update of the change request.',
        insert_files: 'Adds files. Each has one of `url`, `base64` and `upload`.',
        update_file: 'Replaces the bytes, the name or the source of a file. References to the file stay valid.',
        delete_file: 'Deletes a file.',
        revert_file: 'Resets a file to an earlier state. A file that did not exist then is deleted.',
        set_variables: 'Sets variables of the space.',
        insert_reusable_content: 'Adds a reusable content.',
        update_reusable_content: 'Changes a reusable content. Omitted properties are unchanged.',
        delete_reusable_content: 'Deletes a reusable content.',
      },
      properties: {
        operation: 'The kind of change.',
        page: 'The id of the page, or the `ref` of a page of this batch.',
        document: 'The text of the page or reusable content.',
        into:
          'The id or `ref` of the parent page. Null is the top level. If omitted, a new page is added at the top ' +
          'level, and an existing one keeps its parent.',
        at:
          'The index among the siblings, from 0. If omitted, the page is placed last, or keeps its position if its ' +
          'parent does not change.',
        title:
          'The title. A title in the frontmatter of a new text takes precedence. If a new page has neither, its title is ' +
          'the first heading or "Untitled".',
        slug:
          'The last part of the path, unique among the siblings. If omitted for a new page, it is derived from the ' +
          'title. Returns 409 if it is taken.',
        emoji: 'The emoji, as a character or as code points. An empty text removes it.',
        icon: 'The name of the icon. An empty text removes it.',
        description: 'The description of the page. An empty text removes it.',
        hidden: 'Whether the page, with those below it, is hidden from the navigation.',
        noIndex: 'Whether the page, with those below it, is excluded from search.',
        noRobotsIndex: 'Whether search engines may not index the page and those below it.',
        condition: 'The expression that decides which visitors can see the page. An empty text removes it.',
        git: 'The source file in a git repository. An export writes the object to the same path.',
        'git.path': 'The path of the file in the repository.',
        'git.links':
          'The source files that links of the text refer to, by the links as they are written, without anchors. ' +
          'Required only if the paths alone do not identify them. The value for a page of another space is ' +
          '`/spaces/{spaceId}/pages/{pageId}`. If omitted, the stored ones are removed.',
        importedFrom:
          'The name of the folder or archive that the object was imported from. `octavo publish` and `octavo import` ' +
          'set it, and remove the object when it is gone there.',
        cover: 'The cover of the page. Null removes it.',
        layout: 'The layout of the page. Omitted parts are unchanged.',
        ...addPathPrefix('layout', layoutTexts),
        variables: 'Variables by name, at most 100. Null removes a variable; omitted variables are unchanged.',
        ref: 'A name for the new object, by which later changes of the batch refer to it.',
        ...documentTarget('target'),
        computed: 'The source of the generated pages.',
        revision:
          'The id of the revision of the space to revert to. In a change request, the default is the revision that it ' +
          'is based on.',
        block:
          'The keys of the blocks to revert, in the current or the earlier text. If omitted, the page is reverted.',
        kind: 'The kind of the object in conflict. Required unless `page` is set.',
        id: 'The id of the object in conflict. Required unless `page` is set.',
        field: 'The field in conflict.',
        keep: 'The value to keep: that of the change request (`mine`) or of the live content (`live`).',
        files: 'The files to add, at most 100 in all changes of a batch.',
        'files[].url': 'The URL to load the bytes from, at most 10 MiB.',
        'files[].base64': 'The bytes in base64, at most 1 MiB when decoded.',
        'files[].contentType':
          'The content type. Required with `base64`. A type that is detected from the bytes takes precedence.',
        'files[].upload': 'The key of a complete upload of the caller.',
        'files[].name': 'The name of the file.',
        'files[].ref': 'A name for the new file, by which texts and later changes of the batch refer to it.',
        'files[].git': 'The source file in a git repository. An export writes the file to the same path.',
        'files[].git.path': 'The path of the file in the repository.',
        'files[].importedFrom': 'The name of the folder or archive that the file was imported from.',
        file: 'The id of the file, or the `ref` of a file of this batch.',
        name: 'The new name of the file.',
        url: 'The URL to load the new bytes from, at most 10 MiB.',
        base64: 'The new bytes in base64, at most 1 MiB when decoded.',
        contentType:
          'The content type. Required with `base64`. A type that is detected from the bytes takes precedence.',
        upload: 'The key of a complete upload of the caller, with the new bytes.',
        reusableContent: 'The id of the reusable content.',
      },
      example: edit,
    },
    DocumentInput: {
      description: 'A text. An empty object is an empty text.',
      properties: { markdown: 'The text as Markdown, at most 1 MiB. It can begin with frontmatter.' },
      example: { markdown },
    },
    AppliedChange: {
      description: 'An object that a batch has changed.',
      properties: {
        object: 'The kind of object, and whether it was created, updated or deleted.',
        page: 'The page. For a deleted page, its id.',
        'page.object': 'The kind of object.',
        'page.id': 'The id of the page.',
        'page.urls': 'URLs of the page.',
        'page.urls.location': 'The URL of the page in the API.',
        ref: 'The `ref` of the change that created the object. Absent if it has none.',
        reusableContent: 'The id of the reusable content.',
        file: 'The id of the file.',
      },
      example: appliedExample,
    },
  },
};
