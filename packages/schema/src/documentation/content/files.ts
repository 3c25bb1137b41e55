import { createPageUrl, ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { forEachContent } from '../documentation.ts';
import { file } from './examples.ts';

const computed = { computed: 'Has no effect: files are not generated.' };

const visitors = 'A visitor receives only files that the site shows them.';

const metadata = { name: 'film.mp4', type: 'video/mp4', size: 8_421_376 } as const;

const uploadUrl = createPageUrl(
  `/uploads/${ids.organization}/${ids.upload}?expires=1772548200` +
    '&signature=ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs',
);

export const files: ResourceDocumentation = {
  operations: {
    ...forEachContent(
      {
        listFiles: 'the live content',
        listFilesInChangeRequestById: 'a change request',
        listFilesInRevisionById: 'a revision',
      },
      (content) => ({ description: `Lists the files of ${content}, newest first. ${visitors}`, parameters: computed }),
    ),
    ...forEachContent(
      {
        getFileById: 'the live content',
        getFileInChangeRequestById: 'a change request',
        getFileInRevisionById: 'a revision',
      },
      (content) => ({
        description: `Returns a file of ${content}, with a URL to download it. ${visitors}`,
        parameters: computed,
      }),
    ),
    generateStorageUploadURL: {
      description:
        'Creates an upload and returns a URL that receives the bytes of the file without a token. Send them with ' +
        '`PUT`, or in parts with the tus protocol 1.0.0. The `key` can then be used in changes of content and in ' +
        'imports. The URL and the key expire after a day. Returns 409 if the user has 2,000 unused uploads or ' +
        'the organization has 5,000, or if they are too large in total.',
      body: {
        file: 'The file to upload. Required unless `files` is set.',
        files:
          'Small files to upload together, at most 5 MiB in total: one `PUT` sends their bytes, one file after the ' +
          'other. Required unless `file` is set.',
        kind: 'The purpose of the upload. It is stored and has no effect.',
      },
      example: { body: { file: metadata, kind: 'organization_file' } },
    },
  },
  schemas: {
    File: {
      description: 'A file in the content of a space.',
      properties: {
        name: 'The name of the file.',
        contentType: 'The content type, detected from the bytes and refined by the declared type.',
        downloadURL:
          'The URL of the bytes, which needs no token. It works only with all its parameters, and expires after an ' +
          'hour. For a visitor, it is valid as long as the visitor token, or without a limit if everyone can see the ' +
          'file.',
        size: 'The size in bytes.',
        dimensions: 'The dimensions of an image. Absent for other files.',
        'dimensions.width': 'The width in pixels.',
        'dimensions.height': 'The height in pixels.',
        git: 'The source file in a git repository. Absent if it is not known.',
        importedFrom:
          'The name of the folder or archive that the file was imported from. Absent if it is not known, and for visitors.',
      },
      example: file,
    },
    StorageFileMetadata: {
      description: 'A file to upload.',
      properties: {
        name: 'The name of the file.',
        type: 'The content type. A type that is detected from the bytes takes precedence.',
        size: 'The size in bytes, at most 100 MB.',
      },
      example: metadata,
    },
    StorageUploadKind: { description: 'The purpose of an upload.', example: 'organization_file' },
    StorageUploadURL: {
      description: 'A URL that receives the bytes of an upload.',
      properties: {
        url: 'The URL, which needs no token and expires after a day.',
        key: 'The key of the file, to use it in a change of content or an import. With `files`, that of the first one.',
        keys: 'The keys of the files, in their order. Only with `files`.',
        'urls.location': 'The same URL as `url`.',
      },
      example: { object: 'storage-signed-url', url: uploadUrl, key: ids.upload, urls: { location: uploadUrl } },
    },
  },
};
