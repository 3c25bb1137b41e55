import type { LiveEvent } from '@octavo/schema';
import { describe, expect, test } from 'vitest';
import { isChanged } from './changed-values.ts';

const paths = [
  '/spaces/spc_a',
  '/spaces/spc_a/content/pages',
  '/spaces/spc_a/content/page/pg_a',
  '/spaces/spc_a/comments',
  '/spaces/spc_a/change-requests/cr_a',
  '/spaces/spc_a/change-requests/cr_a/content/pages',
  '/spaces/spc_a/change-requests/cr_a/comments',
  '/spaces/spc_a/change-requests/cr_b',
  '/spaces/spc_a/change-requests/cr_b/changes',
  '/spaces/spc_a/change-requests',
  'drafts spc_a',
  '/spaces/spc_b',
  '/user',
];

const listChanged = (event: LiveEvent | undefined): string[] =>
  paths.filter((path) => isChanged('spc_a', path, event)).map((path) => path.replace('/spaces/spc_a', ''));

describe('the values that are read again', () => {
  test.each<[string, LiveEvent | undefined, string[]]>([
    [
      'an edit of the live content',
      { type: 'revision.created', revision: 'rev_a' },
      [
        '',
        '/content/pages',
        '/content/page/pg_a',
        '/comments',
        '/change-requests/cr_a',
        '/change-requests/cr_b',
        '/change-requests',
      ],
    ],
    [
      'an edit of a change request',
      { type: 'revision.created', revision: 'rev_a', changeRequest: 'cr_a' },
      [
        '/change-requests/cr_a',
        '/change-requests/cr_a/content/pages',
        '/change-requests/cr_a/comments',
        '/change-requests',
        'drafts spc_a',
      ],
    ],
    ['a comment', { type: 'comment.created', comment: 'com_a' }, ['', '/comments']],
    [
      'a reply in a change request',
      { type: 'comment_reply.created', comment: 'com_a', changeRequest: 'cr_a' },
      ['/change-requests/cr_a', '/change-requests/cr_a/comments'],
    ],
    [
      'a gap',
      undefined,
      paths.filter((path) => path.includes('spc_a')).map((path) => path.replace('/spaces/spc_a', '')),
    ],
  ])('after %s', (_name, event, expected) => {
    expect(listChanged(event)).toEqual(expected);
  });
});
