import { expect, test } from 'vitest';
import { GitRepository, getGitRepositoryUrls } from './git-repository.ts';

test.each([
  ['https://github.com/acme/docs.git', 'https://github.com/acme/docs/edit/v%202/a/b/{path}'],
  ['https://github.example.com/acme/docs', 'https://github.example.com/acme/docs/edit/v%202/a/b/{path}'],
  ['https://gitlab.com/acme/team/docs', 'https://gitlab.com/acme/team/docs/-/edit/v%202/a/b/{path}'],
  ['https://bitbucket.org/acme/docs/', 'https://bitbucket.org/acme/docs/src/v%202/a/b/{path}?mode=edit'],
  ['https://codeberg.org/acme/docs', 'https://codeberg.org/acme/docs/_edit/v%202/a/b/{path}'],
  ['https://git.example.com/acme/docs', undefined],
  ['https://notgithub.com/acme/docs', undefined],
])('returns the edit URL for files of %s: %s', (repository, edit) => {
  expect(getGitRepositoryUrls({ repository, branch: 'v 2', root: 'a/b' }).edit).toBe(edit);
});

test('the name of a repository may contain a percent sign', () => {
  expect(getGitRepositoryUrls({ repository: 'https://github.com/acme/100%', branch: 'main', root: '' }).name).toBe(
    'acme/100%',
  );
});

test.each([
  { repository: 'https://ann:secret@github.com/acme/docs' },
  { repository: 'https://github.com/acme/docs?token=1' },
  { repository: 'git@github.com:acme/docs' },
  { branch: 'a b' },
  { branch: '' },
  { root: '../docs' },
  { root: '/docs' },
])('rejects %j', (change) => {
  const valid = { repository: 'https://github.com/acme/docs', branch: 'main' };

  expect(GitRepository.safeParse(valid).success).toBe(true);
  expect(GitRepository.safeParse({ ...valid, ...change }).success).toBe(false);
});
